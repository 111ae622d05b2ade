/**
 * The way of a request from its body to its answer, for both transports: one budget of bytes, one decompressor, one
 * reader. A transport collects the body into a reservation of the budget, hands it over here, and puts the answer into
 * its own words.
 *
 * Small requests are decompressed and read at once. Large ones, and compressed ones that may become large, pass a lane
 * of few places. A request keeps its place until it is admitted, so that what decompression makes is bounded by the
 * lane and not by how many arrive. Where the lane is full for too long, the client is told to retry.
 */
import type { ContentEncoding, ReceiveEvent, Transport } from '../model/events/receive-events.ts';
import { countRecords } from '../otlp/count-records.ts';
import type { RedactionRules } from '../model/redaction.ts';
import { RETRY_AFTER_SECONDS } from '../model/retry-after.ts';
import { type AdmissionPorts, admitRequest, type RequestAnswer } from './admit-request.ts';
import { decompressAside, decompressAtOnce, expectedSize } from './decompress.ts';
import { InFlightBytes, type Reservation } from './in-flight-bytes.ts';
import { RequestReading } from './request-reading.ts';
import type { BatchSink } from './sink.ts';
import type { Format } from './status.ts';
import { Turnstile } from './turnstile.ts';

export interface ReceptionOptions {
  /** Limit of one request, after decompression. */
  readonly maxBodyBytes: number;
  /** Limit of all requests that have not been answered. */
  readonly maxInFlightBytes: number;
  readonly sink: BatchSink;
  /** Redaction of requests before the sink gets them; undefined for none. */
  readonly redaction: RedactionRules | undefined;
  readonly onEvent: (event: ReceiveEvent) => void;
}

interface IncomingRequest {
  readonly transport: Transport;
  readonly signal: 'traces' | 'logs';
  readonly format: Format;
  readonly encoding: ContentEncoding;
  readonly bytes: Buffer;
  readonly sender: number;
  readonly reservation: Reservation;
  /** True if the client went away. */
  readonly isGone: () => boolean;
}

/**
 * Spans or log records of one request. A Collector sends 8192 unless told otherwise, and each costs memory and time until
 * it is scored, however small it is.
 */
const RECORDS_MAX = 100_000;
/** Memory that a record takes beside its bytes: its rows in the index and in the table. */
const RECORD_BYTES = 256;

export const TOO_MANY_RECORDS = `the request has more than ${RECORDS_MAX} spans or log records: send smaller batches (the Collector's send_batch_max_size)`;

type ReceptionAnswer = RequestAnswer | { readonly answer: 'too-large' | 'overloaded' | 'gone' };

/** Places of large requests: one is decompressed while the other is read. */
const LANE_PLACES = 2;
/** Exporters give up after ten seconds, and retry. */
const LANE_WAIT_MS_MAX = 5_000;
const IDLE_WAIT_MS_MAX = 5_000;

export const OVERLOADED = {
  message: 'too many requests are in flight: retry later',
  retryAfterSeconds: RETRY_AFTER_SECONDS,
} as const;

export class Reception {
  readonly maxBodyBytes: number;
  readonly onEvent: ReceptionOptions['onEvent'];
  readonly #inFlight: InFlightBytes;
  readonly #reading: RequestReading;
  readonly #ports: AdmissionPorts;
  readonly #lane = new Turnstile({ max: LANE_PLACES, waitMsMax: LANE_WAIT_MS_MAX });
  /** Decompresses one request at a time: its parts are joined, so it takes twice its size. */
  readonly #decompressing = new Turnstile({ max: 1, waitMsMax: LANE_WAIT_MS_MAX });

  constructor({ maxBodyBytes, maxInFlightBytes, sink, redaction, onEvent }: ReceptionOptions) {
    this.maxBodyBytes = maxBodyBytes;
    this.onEvent = onEvent;
    this.#inFlight = new InFlightBytes({ max: maxInFlightBytes, requestMax: maxBodyBytes });
    this.#reading = new RequestReading(redaction);
    this.#ports = { sink, understand: this.#reading.understand, onEvent };
  }

  reserve(): Reservation {
    return this.#inFlight.reserve();
  }

  async take(request: IncomingRequest): Promise<ReceptionAnswer> {
    const { encoding, format, bytes, reservation } = request;
    const plain =
      encoding === 'identity'
        ? ({ result: 'whole', bytes } as const)
        : decompressAtOnce(encoding, bytes, this.maxBodyBytes);
    if (plain?.result === 'too-large') return { answer: 'too-large' };
    if (plain?.result === 'malformed') return undecodable(plain.message);
    if (plain !== undefined && this.#reading.isAtOnce(format, plain.bytes)) {
      reservation.change(this.#costOf(format, plain.bytes));
      return this.#admit(request, plain.bytes);
    }
    return (await this.#lane.run(() => this.#takeLarge(request))) ?? { answer: 'overloaded' };
  }

  /** Resolves once no request is in hand, or after the time that one may take. */
  async whenIdle(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, IDLE_WAIT_MS_MAX);
    await Promise.race([this.#inFlight.whenIdle(), promise]);
    clearTimeout(timer);
  }

  /** Must be called after the last request has been answered. */
  close(): Promise<void> {
    return this.#reading.stop();
  }

  async #takeLarge(request: IncomingRequest): Promise<ReceptionAnswer> {
    const { encoding, bytes, reservation, isGone } = request;
    if (isGone()) return { answer: 'gone' };
    if (encoding === 'identity') return this.#admitLarge(request, bytes);
    const expected = expectedSize(encoding, bytes, this.maxBodyBytes);
    if (!reservation.tryGrow(Math.max(expected - bytes.length, 0))) return { answer: 'overloaded' };
    const decompressed = await this.#decompressing.run(() => decompressAside(encoding, bytes, this.maxBodyBytes));
    if (decompressed === undefined) return { answer: 'overloaded' };
    if (decompressed.result === 'too-large') return { answer: 'too-large' };
    if (decompressed.result === 'malformed') return undecodable(decompressed.message);
    reservation.change(decompressed.bytes.length);
    return this.#admitLarge(request, decompressed.bytes);
  }

  async #admitLarge(request: IncomingRequest, bytes: Buffer): Promise<ReceptionAnswer> {
    const more = this.#costOf(request.format, bytes) - bytes.length;
    if (!request.reservation.tryGrow(more)) return { answer: 'overloaded' };
    return this.#admit(request, bytes);
  }

  #admit(request: IncomingRequest, bytes: Buffer): Promise<RequestAnswer> {
    return admitRequest({ ...request, bytes, recordsMax: RECORDS_MAX }, this.#ports);
  }

  /** At most what the largest request costs, which fits in any case. The text of JSON is longer than its records cost. */
  #costOf(format: Format, bytes: Buffer): number {
    if (format === 'json') return bytes.length;
    const records = Math.min(countRecords(bytes, RECORDS_MAX), RECORDS_MAX);
    return Math.max(bytes.length, Math.min(bytes.length + records * RECORD_BYTES, this.maxBodyBytes));
  }
}

function undecodable(message: string): RequestAnswer {
  return { answer: 'malformed', message: `decompress the body: ${message}` };
}
