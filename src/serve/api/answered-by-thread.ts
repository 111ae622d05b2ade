/**
 * Rows of tables of reads as routes of the main thread: the same routes, answered by the reading thread or by the one
 * that compares.
 */
import { type Asked, type RemoteRead, type Route, read } from '../../report/http/route.ts';
import { addressGroup } from '../../listen/address-group.ts';
import type { Comparing } from '../comparing/comparing.ts';
import type { StoreReading } from '../reading/store-reading.ts';
import type { StreamedReads } from './streamed-reads.ts';
import { untilGone } from './until-gone.ts';

export interface ReadingSide {
  readonly reading: StoreReading;
  readonly streams: StreamedReads;
}

export interface ComparisonSide {
  readonly comparing: Pick<Comparing, 'answer'>;
}

type Described = Pick<RemoteRead<never>, 'path' | 'summary' | 'takes' | 'shapes'>;

export function answeredByThread({ path, summary, takes, shapes }: Described): Route<ReadingSide> {
  const answer = async ({ reading, streams }: ReadingSide, asked: Asked) => {
    const part = (query: string) => askThread(reading, path, { ...asked, query });
    return streams.whole(await part(asked.query.toString()), part);
  };
  return { ...read(path, summary, answer, { takes }), shapes };
}

export function answeredByComparing({ path, summary, takes, shapes }: Described): Route<ComparisonSide> {
  const answer = ({ comparing }: ComparisonSide, asked: Asked) =>
    askThread(comparing, path, { ...asked, query: asked.query.toString() });
  return { ...read(path, summary, answer, { takes }), shapes };
}

function askThread(
  thread: Pick<StoreReading, 'answer'>,
  path: string,
  { query, parameters, request }: Omit<Asked, 'query'> & { readonly query: string },
) {
  return untilGone(request, (signal) =>
    thread.answer({
      job: { what: 'route', path, query, parameters: [...parameters] },
      from: addressGroup(request.socket.remoteAddress),
      signal,
    }),
  );
}
