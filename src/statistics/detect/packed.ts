/** Typed arrays as short texts in a snapshot. */
type Packed = Float32Array | Uint16Array | Uint8Array | Uint32Array;

export function toBase64(numbers: Packed): string {
  const bytes = Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  return bytes.every((byte) => byte === 0) ? '' : bytes.toString('base64');
}

export function fromBase64(text: string, into: Packed): void {
  const bytes = Buffer.from(text, 'base64');
  new Uint8Array(into.buffer, into.byteOffset, into.byteLength).set(bytes.subarray(0, into.byteLength));
}
