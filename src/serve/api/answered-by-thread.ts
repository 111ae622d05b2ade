/** A row of `STORE_READS` as a route of the main thread: the same route, answered by the reading thread. */
import { type Asked, type Route, read } from '../../report/http/route.ts';
import { addressGroup } from '../../listen/address-group.ts';
import type { StoreReading } from '../reading/store-reading.ts';
import type { STORE_READS } from './store-reads.ts';
import { untilGone } from './until-gone.ts';

export interface ReadingSide {
  readonly reading: StoreReading;
}

export function answeredByThread({ path, summary, takes, shapes }: (typeof STORE_READS)[number]): Route<ReadingSide> {
  const answer = ({ reading }: ReadingSide, { query, parameters, request }: Asked) =>
    untilGone(request, (signal) =>
      reading.answer({
        job: { what: 'route', path, query: query.toString(), parameters: [...parameters] },
        from: addressGroup(request.socket.remoteAddress),
        signal,
      }),
    );
  return { ...read(path, summary, answer, { takes }), shapes };
}
