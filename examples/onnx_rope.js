// The RotaryEmbedding kernel of ONNX Runtime, under the subject protocol (src/subject/protocol.md), in Node.js:
// a model of that one node, with the cosines and sines that a model builder would put beside it.
//
//     npm install onnxruntime-node
//     ./run posproof gate rope --heads 2 "cmd:node examples/onnx_rope.js"
//     ./run posproof gate rope --heads 2 "cmd:node examples/onnx_rope.js --wrong offset_form"    # exit 1
//
// --wrong layout: the attribute `interleaved` is the other one; offset_form: position_ids of shape [1], of
// which the kernel takes the first position of a sequence for all of them.
"use strict";
const fs = require("fs");
const ort = require("onnxruntime-node");

const rows = 4096; // of the caches: positions 0 to 4095

// ---- the model: protocol buffers, as onnx.proto numbers their fields

const varint = (n) => (n < 128 ? [n] : [(n % 128) + 128, ...varint(Math.floor(n / 128))]);
const number = (field, n) => Buffer.from([...varint(field * 8), ...varint(n)]);
const bytes = (field, ...parts) => {
  const all = Buffer.concat(parts.map((one) => (typeof one === "string" ? Buffer.from(one) : one)));
  return Buffer.concat([Buffer.from([...varint(field * 8 + 2), ...varint(all.length)]), all]);
};
const FLOAT = 1, INT64 = 7, INT = 2;
const value = (name, type, rank) => [
  bytes(1, name),
  bytes(2, bytes(1, number(1, type), bytes(2, ...Array.from({ length: rank }, (_, axis) => bytes(1, bytes(2, name + axis)))))),
];
const attribute = (name, n) => bytes(5, bytes(1, name), number(3, n), number(20, INT));
const cache = (name, pairs, numbers) =>
  bytes(5, number(1, rows), number(1, pairs), number(2, FLOAT), bytes(8, name), bytes(9, Buffer.from(numbers.buffer)));

function model({ dim, base, interleaved, offset }) {
  const pairs = dim / 2, cosines = new Float32Array(rows * pairs), sines = new Float32Array(rows * pairs);
  for (let t = 0; t < rows; ++t)
    for (let i = 0; i < pairs; ++i) {
      const angle = t * base ** ((-2 * i) / dim);
      cosines[t * pairs + i] = Math.cos(angle);
      sines[t * pairs + i] = Math.sin(angle);
    }
  const node = bytes(1, bytes(1, "x"), bytes(1, "position_ids"), bytes(1, "cos"), bytes(1, "sin"), bytes(2, "y"),
                     bytes(4, "RotaryEmbedding"), attribute("interleaved", interleaved ? 1 : 0), bytes(7, "com.microsoft"));
  const graph = bytes(7, node, bytes(2, "rope"), cache("cos", pairs, cosines), cache("sin", pairs, sines),
                      bytes(11, ...value("x", FLOAT, 4)), bytes(11, ...value("position_ids", INT64, offset ? 1 : 2)),
                      bytes(12, ...value("y", FLOAT, 4)));
  return Buffer.concat([number(1, 8), graph, bytes(8, bytes(1, ""), number(2, 17)),
                        bytes(8, bytes(1, "com.microsoft"), number(2, 1))]);
}

// ---- frames

function take(count) {
  const out = Buffer.alloc(count);
  for (let at = 0; at < count; ) {
    const read = fs.readSync(0, out, at, count - at);
    if (read === 0) process.exit(0); // posproof has no more questions
    at += read;
  }
  return out;
}

function read() {
  const header = JSON.parse(take(Number(take(8).readBigUInt64LE())));
  const { __metadata__: words, ...tensors } = header;
  const values = take(Math.max(0, ...Object.values(tensors).map((one) => one.data_offsets[1])));
  const array = (name, Kind) => {
    const [begin, end] = tensors[name].data_offsets;
    return new Kind(values.buffer.slice(values.byteOffset + begin, values.byteOffset + end));
  };
  return { words, shape: (name) => tensors[name].shape, array };
}

function write(words, result) {
  const header = { __metadata__: words };
  const data = result ? Buffer.from(result.data.buffer, result.data.byteOffset, result.data.byteLength) : Buffer.alloc(0);
  if (result) header.result = { dtype: "F32", shape: result.shape, data_offsets: [0, data.length] };
  const text = Buffer.from(JSON.stringify(header)), length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const all = Buffer.concat([length, text, data]);
  for (let at = 0; at < all.length; ) at += fs.writeSync(1, all, at);
}

// ---- the exchange

async function main() {
  const wrong = process.argv[3] || "";
  const hello = read();
  const asked = Object.fromEntries(hello.words.parameters.split(" ").map((one) => one.split("=")));
  const offset = wrong === "offset_form";
  const interleaved = (asked.layout === "interleaved") !== (wrong === "layout");
  const kernel = await ort.InferenceSession.create(
    model({ dim: Number(asked.dim), base: Number(asked.base), interleaved, offset }));
  const introduce = (id) =>
    write({ answer: "hello", id, protocol: "1", name: "onnx_rope", kinds: "rotate", dtype: "F32",
            domain: `0 ${rows - 1} ends`, renews: "yes", precision: "f32/f64+table=f32",
            conventions: "com.microsoft.RotaryEmbedding of ONNX Runtime" });
  introduce(hello.words.id);
  for (;;) {
    const call = read(), { id } = call.words;
    if (call.words.call === "renew") { // the kernel keeps nothing of a call: it is as good as new
      introduce(id);
      continue;
    }
    const shape = call.shape("x"), positions = call.array("positions", BigInt64Array);
    const beyond = positions.find((t) => t < 0n || t >= BigInt(rows));
    if (beyond !== undefined) {
      write({ answer: "declined", id, reason: `position ${beyond} has no row in the caches` });
      continue;
    }
    const x = new ort.Tensor("float32", Float32Array.from(call.array("x", Float64Array)), shape);
    if (positions.length === 0) {
      write({ answer: "result", id }, { data: x.data, shape });
      continue;
    }
    const ids = offset ? new ort.Tensor("int64", positions.slice(0, 1), [1])
                       : new ort.Tensor("int64", positions, call.shape("positions"));
    const { y } = await kernel.run({ x, position_ids: ids });
    write({ answer: "result", id }, { data: y.data, shape });
  }
}

main();
