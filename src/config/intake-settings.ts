/** How much is accepted, and how much of it may wait to be scored. */
import { section } from './section.ts';
import { size } from './setting.ts';

/** A full journal has this many files, so that it has space again soon after scoring goes on. */
const SEGMENTS = 128;
const SEGMENT_BYTES = { min: 64 * 2 ** 10, max: 64 * 2 ** 20 };
/** Size of one request after decompression. Exporters send a few megabytes at most; the rest is for backfills. */
const BODY_BYTES_MAX = 64 * 2 ** 20;

export const JOURNAL = section('start', 'The log of accepted data.', {
  maxBytes: size(
    { key: 'journal.max_bytes', default: '8GiB', min: '1MiB', max: '1024TiB', rare: true },
    'Data that wait to be scored; beyond it clients get 503 and try again.',
  ),
}).build(({ maxBytes }) => ({
  maxBytes,
  segmentBytes: Math.min(SEGMENT_BYTES.max, Math.max(SEGMENT_BYTES.min, Math.floor(maxBytes / SEGMENTS))),
}));

export const RECEIVE = section('start', 'Requests of clients.', {
  maxInFlightBytes: size(
    { key: 'receive.max_in_flight_bytes', default: '256MiB', min: '1KiB', max: '64GiB', rare: true },
    'Size of all requests in flight after decompression; beyond it clients get 503 and try again. One request has at most 64 MiB of it.',
  ),
}).build(({ maxInFlightBytes }) => ({ maxInFlightBytes, maxBodyBytes: Math.min(BODY_BYTES_MAX, maxInFlightBytes) }));
