// What the pages use of three.js and uPlot; the rest is left out of the bundle.
export {
  AmbientLight, BoxGeometry, BufferAttribute, BufferGeometry, CatmullRomCurve3, Color, CylinderGeometry,
  DirectionalLight, DoubleSide, DynamicDrawUsage, Group, HemisphereLight, InstancedBufferAttribute,
  InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshLambertMaterial, MeshStandardMaterial,
  PCFShadowMap, PerspectiveCamera, PlaneGeometry, Quaternion, Scene, ShadowMaterial, SphereGeometry,
  TubeGeometry, Vector2, Vector3, WebGLRenderer,
} from "three";
export { Line2 } from "three/addons/lines/Line2.js";
export { LineGeometry } from "three/addons/lines/LineGeometry.js";
export { LineMaterial } from "three/addons/lines/LineMaterial.js";
export { default as uPlot } from "uplot";
