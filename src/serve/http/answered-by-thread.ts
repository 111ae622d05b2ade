/**
 * Rows of tables of reads as routes of the main thread: the same routes, answered by the reading thread or by the one
 * that compares.
 */
import type { Answer } from '../../report/http/answer.ts';
import { type Asked, read, type RemoteRead, type Route } from '../../report/http/route.ts';
import type { Comparing } from '../comparing/comparing.ts';
import type { StoreReading } from '../reading/store-reading.ts';

export interface ReadingSide {
  readonly reading: Pick<StoreReading, 'answer'>;
}

export interface ComparisonSide {
  readonly comparing: Pick<Comparing, 'answer'>;
}

type Described = Pick<RemoteRead<never>, 'path' | 'summary' | 'takes' | 'shapes'>;

export function answeredByThread({ path, summary, takes, shapes }: Described): Route<ReadingSide> {
  const answer = ({ reading }: ReadingSide, { query, ...asked }: Asked) =>
    askThread(reading, path, query.toString(), asked);
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
  { parameters, client: { from, gone: signal } }: Pick<Asked, 'parameters' | 'client'>,
): Promise<Answer> {
  return thread.answer({ job: { what: 'route', path, query, parameters: [...parameters] }, from, signal });
}
