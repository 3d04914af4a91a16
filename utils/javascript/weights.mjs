// Reads a safetensors file: its tensors by name, each as an array of 32-bit floats.

const READ = {
  F32: (bytes) => new Float32Array(bytes),
  F16: (bytes) => widened(new Uint16Array(bytes), halfAsFloat),
  BF16: (bytes) => widened(new Uint16Array(bytes), bfloatAsFloat),
};

// `wanted(name)` says which tensors are read. Throws an Error for a file that is cut off or a dtype that is none of
// the above. The layout: github.com/huggingface/safetensors, README, "Format".
export function readTensors(buffer, wanted = () => true) {
  const start = 8 + headerSize(buffer);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, start - 8)));
  delete header.__metadata__;
  const tensors = new Map();
  for (const [name, { dtype, data_offsets: [from, to] }] of Object.entries(header)) {
    if (!wanted(name)) continue;
    if (!READ[dtype]) throw new Error(`${name} is of dtype ${dtype}: F32, F16 and BF16 are read`);
    if (start + to > buffer.byteLength) throw new Error(`the file ends within ${name}`);
    tensors.set(name, READ[dtype](buffer.slice(start + from, start + to)));
  }
  return tensors;
}

function headerSize(buffer) {
  const size = buffer.byteLength < 8 ? Infinity : Number(new DataView(buffer).getBigUint64(0, true));
  if (size > buffer.byteLength - 8) throw new Error("this is no safetensors file, or its beginning alone");
  return size;
}

// There are only 65,536 numbers of 16 bits: each is worked out once.
function widened(halves, asFloat) {
  const table = new Float32Array(65536);
  for (let bits = 0; bits < table.length; bits++) table[bits] = asFloat(bits);
  return Float32Array.from(halves, (bits) => table[bits]);
}

function halfAsFloat(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

const view = new DataView(new ArrayBuffer(4));

function bfloatAsFloat(bits) {
  view.setUint32(0, bits << 16);
  return view.getFloat32(0);
}
