/** How much is accepted, and how much of it may wait to be scored. */
import { formatSize } from './quantities.ts';
import { expectAtLeast, section } from './section.ts';
import { size } from './setting.ts';

export const JOURNAL = section('start', 'The log of accepted data.', {
  maxBytes: size(
    { key: 'journal.max_bytes', default: '8GiB', min: '1MiB', max: '1024TiB' },
    'Data that wait to be scored; beyond it clients get 503 and try again.',
  ),
  segmentBytes: size({ key: 'journal.segment_bytes', default: '64MiB', min: '64KiB', max: '2GiB' }, 'Size of a file.'),
}).build((journal, sources) => {
  const segments = ['twice journal.segment_bytes', 2 * journal.segmentBytes] as const;
  expectAtLeast(sources, ['journal.max_bytes', journal.maxBytes], segments, formatSize);
  return journal;
});

export const RECEIVE = section('start', 'Requests of clients.', {
  maxBodyBytes: size(
    { key: 'receive.max_body_bytes', default: '64MiB', min: '1KiB', max: '1GiB' },
    'Size of one request after decompression; beyond it 413.',
  ),
  maxInFlightBytes: size(
    { key: 'receive.max_in_flight_bytes', default: '256MiB', min: '1KiB', max: '64GiB' },
    'Size of all requests in flight; beyond it clients get 503 and try again.',
  ),
}).build((receive, sources) => {
  const body = ['receive.max_body_bytes', receive.maxBodyBytes] as const;
  expectAtLeast(sources, ['receive.max_in_flight_bytes', receive.maxInFlightBytes], body, formatSize);
  return receive;
});
