/**
 * Rows of tables of reads as routes of the main thread: the same routes, answered by the reading thread or by the one
 * that compares.
 */
import type { Answer } from '../../report/http/answer.ts';
import { type Asked, read, type RemoteRead, type Route } from '../../report/http/route.ts';
import { addressGroup } from '../../listen/address-group.ts';
import type { Comparing } from '../comparing/comparing.ts';
import type { StoreReading } from '../reading/store-reading.ts';
import type { StreamedReads } from './streamed-reads.ts';
import { untilGone } from './until-gone.ts';

export interface ReadingSide {
  readonly reading: Pick<StoreReading, 'answer'>;
  readonly streams: StreamedReads;
}

export interface ComparisonSide {
  readonly comparing: Pick<Comparing, 'answer'>;
}

type Described = Pick<RemoteRead<never>, 'path' | 'summary' | 'takes' | 'shapes'>;

/** A read may go on in further parts. */
export function answeredByThread({ path, summary, takes, shapes }: Described): Route<ReadingSide> {
  const answer = async ({ reading, streams }: ReadingSide, { query, ...asked }: Asked) => {
    const part = (of: string) => askThread(reading, path, of, asked);
    return streams.whole(await part(query.toString()), part);
  };
  return { ...read(path, summary, answer, { takes }), shapes };
}

export function answeredByComparing({ path, summary, takes, shapes }: Described): Route<ComparisonSide> {
  const answer = ({ comparing }: ComparisonSide, { query, ...asked }: Asked) =>
    askThread(comparing, path, query.toString(), asked);
  return { ...read(path, summary, answer, { takes }), shapes };
}

function askThread(
  thread: Pick<StoreReading, 'answer'>,
  path: string,
  query: string,
  { parameters, request }: Pick<Asked, 'parameters' | 'request'>,
): Promise<Answer> {
  return untilGone(request, (signal) =>
    thread.answer({
      job: { what: 'route', path, query, parameters: [...parameters] },
      from: addressGroup(request.socket.remoteAddress),
      signal,
    }),
  );
}
