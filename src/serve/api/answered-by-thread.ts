/**
 * Rows of tables of reads as routes of the main thread: the same routes, answered by the reading thread or by the one
 * that compares.
 */
import type { RemoteRead, Route, Asked } from '../../report/http/route.ts';
import { read } from '../../report/http/route.ts';
import { addressGroup } from '../../listen/address-group.ts';
import type { Comparing } from '../comparing/comparing.ts';
import type { StoreReading } from '../reading/store-reading.ts';
import { untilGone } from './until-gone.ts';

export interface ReadingSide {
  readonly reading: Pick<StoreReading, 'answer'>;
}

export interface ComparisonSide {
  readonly comparing: Pick<Comparing, 'answer'>;
}

type Described = Pick<RemoteRead<never>, 'path' | 'summary' | 'takes' | 'shapes'>;

export function answeredByThread(route: Described): Route<ReadingSide> {
  return answeredBy(route, ({ reading }: ReadingSide) => reading);
}

export function answeredByComparing(route: Described): Route<ComparisonSide> {
  return answeredBy(route, ({ comparing }: ComparisonSide) => comparing);
}

function answeredBy<S>(
  { path, summary, takes, shapes }: Described,
  thread: (side: S) => Pick<StoreReading, 'answer'>,
): Route<S> {
  const answer = (side: S, { query, parameters, request }: Asked) =>
    untilGone(request, (signal) =>
      thread(side).answer({
        job: { what: 'route', path, query: query.toString(), parameters: [...parameters] },
        from: addressGroup(request.socket.remoteAddress),
        signal,
      }),
    );
  return { ...read(path, summary, answer, { takes }), shapes };
}
