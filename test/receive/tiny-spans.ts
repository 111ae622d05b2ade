/** Requests that have as many spans as fit into their bytes: 30 bytes each, each of a trace of its own. */
const SPAN_BYTES = 30;

/** In protobuf. `first` is the number of the first trace. */
export function tinySpans(count: number, first = 0): Buffer {
  const spans = Buffer.alloc(count * SPAN_BYTES);
  for (let index = 0; index < count; index += 1) {
    const at = index * SPAN_BYTES;
    spans.set([0x12, SPAN_BYTES - 2, 0x0a, 16], at);
    spans.writeUInt32BE(first + index, at + 4);
    spans.writeUInt32BE(7, at + 12);
    spans.set([0x12, 8], at + 20);
    spans.writeUInt32BE(first + index + 1, at + 22);
  }
  return message(0x0a, message(0x12, spans));
}

/** In JSON. */
export function tinySpansInJson(count: number): Buffer {
  const spans = Array.from({ length: count }, (_, index) => ({
    traceId: (index + 1).toString(16).padStart(32, '0'),
    spanId: (index + 1).toString(16).padStart(16, '0'),
  }));
  return Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
}

function message(tag: number, content: Buffer): Buffer {
  const head = [tag];
  let length = content.length;
  for (; length > 0x7f; length >>>= 7) head.push((length & 0x7f) | 0x80);
  head.push(length);
  return Buffer.concat([Buffer.from(head), content]);
}
