/** A program that receives one request, so large that it is read in a thread of its own, and has nothing else to do. */
import { startPrivateReceiver } from '../../src/receive/private-receiver.ts';
import { MIB } from './receiving.ts';

const receiver = await startPrivateReceiver({
  port: 0,
  maxBodyBytes: 8 * MIB,
  maxInFlightBytes: 64 * MIB,
  redaction: undefined,
  onEvent: () => {},
  sink: { accept: async () => ({ admitted: true }) },
});
const span = { traceId: '0102030405060708090a0b0c0d0e0f10', spanId: '0102030405060708', name: 'x'.repeat(2 * MIB) };
const response = await fetch(`http://127.0.0.1:${receiver.port}/v1/traces`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', connection: 'close' },
  body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
});
await response.arrayBuffer();
console.log(response.status);
await receiver.stop();
