// Memory in which WebAssembly's SIMD multiplies arrays, four 32-bit floats at a time. In a browser that has none, and on
// a page whose policy forbids WebAssembly, arrays lie where they usually do, and arithmetic.mjs does without it.

import { KERNELS } from "./kernels.mjs";

const rooms = new WeakMap(); // by the buffer in which an array lies
let module;

// Its `take(length)` gives arrays of zeros, of `length` floats in all. `longest` is the length of the longest vector that
// one of them is multiplied by, or that comes of it.
export function roomFor(length, longest) {
  try {
    return new Room(length, longest);
  } catch {
    return { take: (length) => new Float32Array(length) };
  }
}

// The room in which this array lies, if any.
export function roomOf(array) {
  return rooms.get(array.buffer);
}

class Room {
  constructor(length, longest) {
    module ??= new WebAssembly.Module(Uint8Array.from(atob(KERNELS), (letter) => letter.charCodeAt(0)));
    const pages = Math.ceil((4 * (length + 2 * longest)) / 65536);
    this.memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    this.kernels = new WebAssembly.Instance(module, { room: { memory: this.memory } }).exports;
    this.end = 0;
    this.x = this.take(longest);
    this.out = this.take(longest);
    rooms.set(this.memory.buffer, this);
  }

  take(length) {
    const array = new Float32Array(this.memory.buffer, this.end, length);
    this.end += array.byteLength;
    return array;
  }

  // What kernels.wat does, of vectors that lie elsewhere.
  addRows(x, W, out, rows) {
    this.x.set(x);
    this.out.set(out);
    this.kernels.addRows(this.x.byteOffset, W.byteOffset, this.out.byteOffset, rows, out.length);
    out.set(this.out.subarray(0, out.length));
  }

  multiplyRows(W, x, out, rows) {
    this.x.set(x);
    this.kernels.multiplyRows(W.byteOffset, this.x.byteOffset, this.out.byteOffset, rows, x.length);
    out.set(this.out.subarray(0, rows));
  }
}
