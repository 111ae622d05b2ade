/** How much accepted data may wait to be scored. */
import { section } from './section.ts';
import { size } from './setting.ts';

/** A full journal has this many files, so that it has space again soon after scoring goes on. */
const SEGMENTS = 128;
const SEGMENT_BYTES = { min: 64 * 2 ** 10, max: 64 * 2 ** 20 };

export const JOURNAL = section('start', 'The log of accepted data.', {
  maxBytes: size(
    { key: 'journal.max_bytes', default: '8GiB', min: '1MiB', max: '1024TiB', rare: true },
    'Data that wait to be scored; beyond it clients get 503 and try again.',
  ),
}).build(({ maxBytes }) => ({
  maxBytes,
  segmentBytes: Math.min(SEGMENT_BYTES.max, Math.max(SEGMENT_BYTES.min, Math.floor(maxBytes / SEGMENTS))),
}));
