/** A row of `STORE_READS` as a route of the main thread: the same route, answered by the reading thread. */
import { type Asked, type Route, read } from '../../report/http/route.ts';
import { addressGroup } from '../../listen/address-group.ts';
import type { StoreReading } from '../reading/store-reading.ts';
import type { STORE_READS } from './store-reads.ts';
import type { StreamedReads } from './streamed-reads.ts';
import { untilGone } from './until-gone.ts';

export interface ReadingSide {
  readonly reading: StoreReading;
  readonly streams: StreamedReads;
}

export function answeredByThread({ path, summary, takes, shapes }: (typeof STORE_READS)[number]): Route<ReadingSide> {
  const answer = async ({ reading, streams }: ReadingSide, { query, parameters, request }: Asked) => {
    const part = (asked: string) =>
      untilGone(request, (signal) =>
        reading.answer({
          job: { what: 'route', path, query: asked, parameters: [...parameters] },
          from: addressGroup(request.socket.remoteAddress),
          signal,
        }),
      );
    return streams.whole(await part(query.toString()), part);
  };
  return { ...read(path, summary, answer, { takes }), shapes };
}
