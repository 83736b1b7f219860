// The connection to the source: it says hello, then frames; where it is lost, it is tried again.

const AGAIN = 1000; // ms
const HEAD = 24; // bytes before the numbers of a frame

export class Link {
  constructor(address, heard) {
    this.address = address;
    this.heard = heard;
    this.frames = 0;
    this.open();
  }

  open() {
    this.socket = new WebSocket(this.address);
    this.socket.binaryType = "arraybuffer";
    this.socket.onmessage = ({ data }) => {
      if (typeof data === "string") this.heard(JSON.parse(data));
      else this.heard({ frame: frameOf(data) });
    };
    this.socket.onclose = () => {
      this.heard({ lost: true });
      setTimeout(() => this.open(), AGAIN);
    };
  }

  send(order) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(order));
  }
}

function frameOf(data) {
  const view = new DataView(data);
  return {
    number: view.getUint32(0, true), flags: view.getUint32(4, true), t: view.getFloat64(8, true),
    achieved: view.getFloat32(16, true), load: view.getFloat32(20, true), numbers: new Float32Array(data, HEAD),
  };
}
