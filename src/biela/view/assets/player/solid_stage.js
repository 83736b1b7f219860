// The stage in WebGL: pieces as instances of a few bodies, light, shadow, a grid, and paths as wide lines.

import { add, along, columns, length, minus, rounded, square, times, unit } from "./vector.js";
import { darker, drumAxes } from "./shape.js";

const REACH = 3; // of the grid, sizes of the stage

export class SolidStage {
  constructor(canvas, stage, pieces, motions) {
    this.v = globalThis.vendor;
    this.canvas = canvas;
    this.stage = stage;
    this.motions = motions;
    this.step = rounded(stage.size / 3);
    const slow = inSoftware();
    this.renderer = new this.v.WebGLRenderer({ canvas, antialias: !slow, alpha: true });
    this.renderer.setPixelRatio(slow ? 1 : Math.min(globalThis.devicePixelRatio || 1, 2));
    this.renderer.shadowMap.enabled = !stage.planar;
    this.scene = new this.v.Scene();
    this.camera = new this.v.PerspectiveCamera(24, 1, 0.1, 100);
    this.light();
    this.groups = [];
    const kinds = new Map();
    for (const [k, piece] of pieces.entries()) {
      if (piece.kind === "path") continue;
      const key = piece.kind === "mesh" ? `mesh ${k}` : `${piece.kind} ${piece.joint} ${piece.actor} ${piece.opacity}`;
      kinds.set(key, [...(kinds.get(key) || []), piece]);
    }
    for (const members of kinds.values()) this.groups.push(this.instances(members));
    this.paths = pieces.filter((piece) => piece.kind === "path").map((piece) => this.path(piece));
    this.grid = new this.v.Group();
    this.marks = new this.v.Group();
    this.scene.add(this.grid, this.marks);
    this.hidden = new Set();
  }

  light() {
    const { right, up, toward, size, planar } = this.stage;
    this.scene.add(new this.v.HemisphereLight("#ffffff", "#9aa5b4", 2.0));
    this.sun = new this.v.DirectionalLight("#ffffff", 2.2);
    this.sun.castShadow = !planar;
    this.sunward = times(unit(add(add(times(up, 2), times(toward, planar ? 3 : 1.4)), times(right, -0.8))), 4 * size);
    const box = this.sun.shadow.camera;
    [box.left, box.right, box.top, box.bottom] = [-1.6, 1.6, 1.6, -1.6].map((side) => side * size);
    [box.near, box.far] = [0.1 * size, 9 * size];
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.normalBias = 0.004 * size;
    this.scene.add(this.sun, this.sun.target);
    if (planar) return;
    const plane = new this.v.PlaneGeometry(1, 1);
    this.shade = new this.v.Mesh(plane, new this.v.ShadowMaterial({ opacity: 0.16 }));
    this.shade.receiveShadow = true;
    this.shade.scale.setScalar(2 * REACH * size);
    this.shade.quaternion.setFromUnitVectors(new this.v.Vector3(0, 0, 1), new this.v.Vector3(...up));
    this.scene.add(this.shade);
  }

  geometry({ kind, joint, points, faces }) {
    if (kind === "mesh") return faceted(this.v, points, faces);
    if (kind === "rod") return new this.v.CylinderGeometry(1, 1, 1, 16);
    if (kind === "ball") return new this.v.SphereGeometry(1, joint ? 14 : 28, joint ? 10 : 18);
    if (kind === "box") return new this.v.BoxGeometry(1, 1, 1);
    if (kind === "drum") return quartered(this.v, new this.v.CylinderGeometry(1, 1, 1, 48));
    if (kind === "coil") return helix(this.v);
    const prism = new this.v.CylinderGeometry(1, 1, 1, 3).toNonIndexed();
    prism.computeVertexNormals();
    return prism;
  }

  instances(pieces) {
    const [{ kind, opacity, actor, layer }] = pieces;
    const material = new this.v.MeshStandardMaterial({
      roughness: 0.5, metalness: 0.15, vertexColors: kind === "drum",
      transparent: opacity < 1, opacity, depthWrite: opacity === 1,
    });
    const mesh = new this.v.InstancedMesh(this.geometry(pieces[0]), material, pieces.length);
    mesh.frustumCulled = false;
    mesh.castShadow = opacity === 1 && !layer;
    mesh.receiveShadow = Boolean(layer);
    mesh.renderOrder = opacity < 1 ? 2 : 0;
    const color = new this.v.Color();
    pieces.forEach((piece, k) => {
      mesh.setColorAt(k, color.set(piece.joint ? darker(piece.color, 0.72) : piece.color));
    });
    this.scene.add(mesh);
    return { mesh, pieces, actor };
  }

  path(piece) {
    const motion = this.motions[piece.actor];
    const way = motion.way(piece.lane, piece.a);
    const line = (width, opacity) => {
      const geometry = new this.v.LineGeometry();
      geometry.setPositions(way.length > 3 ? way : new Float32Array([...way, ...way]));
      const material = new this.v.LineMaterial({
        color: piece.color, linewidth: width, transparent: true, opacity: opacity * piece.opacity,
        depthWrite: false,
      });
      const made = new this.v.Line2(geometry, material);
      made.frustumCulled = false;
      made.renderOrder = 1;
      this.scene.add(made);
      return made;
    };
    const first = piece.opacity === 1; // beside it, the ways that others will take are left out
    return { piece, whole: first ? line(1.2, 0.35) : null, past: line(first ? 2.4 : 1.6, 0.95), count: way.length / 3 };
  }

  theme(colors) {
    this.colors = colors;
    this.rule();
    this.cross();
  }

  // The grid: fading lines a round length apart, on the floor or on the wall behind.
  rule() {
    const { right, up, toward, size, planar, floor } = this.stage;
    const [a, b] = planar ? [right, up] : [right, toward];
    const count = Math.ceil((REACH * size) / this.step);
    const spots = [];
    const shades = [];
    const color = new this.v.Color(this.colors.grid);
    const put = (i, j) => {
      const spot = add(times(a, i * this.step), times(b, j * this.step));
      const fade = Math.max(0, 1 - Math.hypot(i, j) / count);
      spots.push(...spot);
      shades.push(color.r, color.g, color.b, fade);
    };
    for (let i = -count; i <= count; i++) {
      for (let j = -count; j < count; j++) [[i, j], [i, j + 1], [j, i], [j + 1, i]].forEach((at) => put(...at));
    }
    const geometry = new this.v.BufferGeometry();
    geometry.setAttribute("position", new this.v.BufferAttribute(new Float32Array(spots), 3));
    geometry.setAttribute("color", new this.v.BufferAttribute(new Float32Array(shades), 4));
    const material = new this.v.LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false });
    this.grid.clear();
    this.grid.add(new this.v.LineSegments(geometry, material));
    this.gridNormal = times(planar ? toward : up, floor);
    this.gridAxes = [a, b];
  }

  // The ground's axes at its origin.
  cross() {
    const long = 0.22 * this.stage.size;
    this.marks.clear();
    this.colors.axes.forEach((color, k) => {
      const axis = [0, 1, 2].map((j) => (j === k ? long : 0));
      const geometry = new this.v.LineGeometry();
      geometry.setPositions([0, 0, 0, ...axis]);
      this.marks.add(new this.v.Line2(geometry, new this.v.LineMaterial({ color, linewidth: 2.5 })));
    });
  }

  resize(width, height) {
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
  }

  draw(eye) {
    for (const { mesh, pieces, actor } of this.groups) {
      mesh.visible = !this.hidden.has(actor);
      if (!mesh.visible) continue;
      const array = mesh.instanceMatrix.array;
      pieces.forEach((piece, k) => write(array, 16 * k, piece, this.motions[piece.actor], this.stage));
      mesh.instanceMatrix.needsUpdate = true;
    }
    for (const { piece, whole, past, count } of this.paths) {
      past.visible = !this.hidden.has(piece.actor) && count > 1;
      if (whole) whole.visible = past.visible;
      past.geometry.instanceCount = Math.min(count - 1, Math.round(this.motions[piece.actor].moment));
    }
    this.point(eye);
    this.renderer.render(this.scene, this.camera);
  }

  point(eye) {
    const focus = eye.focus;
    const [, y] = eye.axes();
    this.camera.fov = eye.opening;
    this.camera.near = eye.distance / 100;
    this.camera.far = eye.distance * 20 + 20 * this.stage.size;
    this.camera.updateProjectionMatrix();
    this.camera.position.set(...eye.place);
    this.camera.up.set(...y);
    this.camera.lookAt(...focus);
    const middle = add(this.stage.centre, eye.offset);
    this.sun.target.position.set(...middle);
    this.sun.position.set(...add(middle, this.sunward));
    const onGrid = this.gridAxes.reduce((sum, axis) => {
      const far = Math.round((axis[0] * middle[0] + axis[1] * middle[1] + axis[2] * middle[2]) / this.step);
      return along(sum, far * this.step, axis);
    }, this.gridNormal);
    this.grid.position.set(...onGrid);
    if (this.shade) this.shade.position.set(...along(onGrid, -0.002 * this.stage.size, this.stage.up));
  }
}

// Whether WebGL runs on the processor, where every edge that is smoothed costs dearly.
function inSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const told = gl && gl.getExtension("WEBGL_debug_renderer_info");
  const name = told ? gl.getParameter(told.UNMASKED_RENDERER_WEBGL) : "";
  if (gl) gl.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

// The matrix of an instance: three directions with their lengths, and a place; nothing where one is not known.
function write(array, o, piece, motion, stage) {
  const place = motion.place(piece.lane, piece.a);
  const [x, y, z, at] = framed(piece, place, motion, stage);
  const known = Number.isFinite(x[0] + y[0] + z[0] + at[0] + at[1] + at[2]);
  for (let j = 0; j < 3; j++) {
    array[o + j] = known ? x[j] : 0;
    array[o + 4 + j] = known ? y[j] : 0;
    array[o + 8 + j] = known ? z[j] : 0;
    array[o + 12 + j] = known ? at[j] : 0;
  }
  array[o + 15] = 1;
}

function framed(piece, place, motion, stage) {
  const r = piece.radius;
  if (piece.kind === "ball") return [[r, 0, 0], [0, r, 0], [0, 0, r], place];
  if (piece.kind === "rod" || piece.kind === "coil") {
    const end = motion.place(piece.lane, piece.b);
    const span = minus(end, place);
    if (length(span) === 0) return [[r, 0, 0], [0, 1e-9, 0], [0, 0, r], place];
    const [u, v] = square(unit(span));
    return [times(v, r), span, times(u, r), along(place, 0.5, span)];
  }
  if (piece.kind === "foot") {
    const { right, up, toward } = stage;
    return [times(right, -r), times(toward, r), times(up, r), along(place, -r, up)];
  }
  const base = columns(...motion.turn(piece.lane, piece.turn));
  if (piece.kind === "mesh") return [...base.map((axis) => times(axis, r)), place];
  if (piece.kind === "box") return [...base.map((axis, k) => times(axis, piece.size[k])), place];
  const [x, y, z] = drumAxes(piece.axis, base);
  return [times(x, r), times(y, piece.long), times(z, r), place];
}

// A mesh in triangles, each face flat.
function faceted(v, points, faces) {
  const spots = faces.flatMap((face) => face.slice(2).flatMap((c, k) => [face[0], face[k + 1], c])).flatMap((k) => points[k]);
  const geometry = new v.BufferGeometry();
  geometry.setAttribute("position", new v.BufferAttribute(new Float32Array(spots), 3));
  geometry.computeVertexNormals();
  return geometry;
}

// Quarters of two shades, so that one sees a drum turn.
function quartered(v, geometry) {
  const parts = geometry.toNonIndexed();
  const spot = parts.attributes.position;
  const shade = new Float32Array(spot.count * 3).fill(1);
  for (let k = 0; k < spot.count; k += 3) {
    const x = (spot.getX(k) + spot.getX(k + 1) + spot.getX(k + 2)) / 3;
    const z = (spot.getZ(k) + spot.getZ(k + 1) + spot.getZ(k + 2)) / 3;
    if (x * z > 0) shade.fill(0.55, 3 * k, 3 * k + 9);
  }
  parts.setAttribute("color", new v.BufferAttribute(shade, 3));
  return parts;
}

// A spring of radius 1 from -1/2 to 1/2 along y, its wire round when it is ten radii long.
function helix(v) {
  const spots = [];
  const [turns, long] = [8, 10];
  for (let k = 0; k <= turns * 16; k++) {
    const s = k / (turns * 16);
    const wide = Math.min(1, 12 * s, 12 * (1 - s));
    const angle = 2 * Math.PI * turns * s;
    spots.push(new v.Vector3(wide * Math.cos(angle), long * (s - 0.5), wide * Math.sin(angle)));
  }
  return new v.TubeGeometry(new v.CatmullRomCurve3(spots), turns * 24, 0.14, 7).scale(1, 1 / long, 1);
}
