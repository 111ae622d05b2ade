/** A receiver with a controllable sink, and both ends of a request over real sockets. */
import { OPEN_TO_ALL } from '../../src/model/access.ts';
import { connect, type Socket } from 'node:net';
import type { ReceiveEvent } from '../../src/model/events/receive-events.ts';
import { Reception, type ReceptionOptions } from '../../src/receive/reception.ts';
import type { ReceiverOptions } from '../../src/receive/otlp-http.ts';
import type { Admission, BatchSink, ReceivedBatch } from '../../src/receive/sink.ts';
import { indexTraces } from '../../src/otlp/traces-reader.ts';
import { readWireBodies } from '../fixtures/read-wire.ts';

export class FakeSink implements BatchSink {
  readonly batches: ReceivedBatch[] = [];
  admission: Admission = { admitted: true };
  /** While set, nothing is answered until it resolves. */
  gate: Promise<void> | undefined;
  readonly #arrivals: (() => void)[] = [];

  async accept(batch: ReceivedBatch): Promise<Admission> {
    this.batches.push(batch);
    for (const arrived of this.#arrivals.splice(0)) arrived();
    await this.gate;
    return this.admission;
  }

  /** Resolves when the next batch arrives. */
  arrival(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#arrivals.push(resolve);
    return promise;
  }

  get spanNames(): readonly string[] {
    return this.batches.flatMap(({ bytes }) => {
      const index = indexTraces(bytes);
      return Array.from({ length: index.spanCount }, (_, row) => index.view(row).name);
    });
  }
}

export class EventLog {
  readonly events: ReceiveEvent[] = [];
  readonly #waiting: { readonly type: ReceiveEvent['type']; readonly resolve: () => void }[] = [];

  readonly record = (event: ReceiveEvent): void => {
    this.events.push(event);
    for (const waiter of this.#waiting) if (waiter.type === event.type) waiter.resolve();
  };

  refusals(): readonly (readonly [reason: string, code: number])[] {
    return this.events.flatMap((event) =>
      event.type === 'request-refused' ? [[event.reason, event.code] as const] : [],
    );
  }

  next(type: ReceiveEvent['type']): Promise<void> {
    return this.counted(type, 1);
  }

  /** Resolves once so many have come from now on. */
  counted(type: ReceiveEvent['type'], times: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let left = times;
    this.#waiting.push({
      type,
      resolve: () => {
        left -= 1;
        if (left === 0) resolve();
      },
    });
    return promise;
  }
}

export const MIB = 1024 * 1024;

export function receiverOptions(
  sink: BatchSink,
  log: EventLog,
  limits: Partial<ReceptionOptions> = {},
): Omit<ReceiverOptions<never>, 'shared'> {
  const options = {
    maxBodyBytes: 64 * MIB,
    maxInFlightBytes: 256 * MIB,
    sink,
    redaction: undefined,
    onEvent: log.record,
    ...limits,
  };
  return { host: '127.0.0.1', port: 0, reception: new Reception(options), access: OPEN_TO_ALL };
}

export function wireBody(name: string): Buffer {
  const found = readWireBodies().find((body) => body.name === name);
  if (found === undefined) throw new Error(`no wire fixture ${name}`);
  return found.bytes;
}

/** A raw connection, for requests that no client library would send. Returns everything that the server sends. */
export function openSocket(port: number): { readonly socket: Socket; readonly said: Promise<string> } {
  const socket = connect(port, '127.0.0.1');
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = '';
  socket.setEncoding('latin1');
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => undefined);
  socket.on('close', () => resolve(text));
  return { socket, said: promise };
}
