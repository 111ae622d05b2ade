/** Changes that detection found, as marks on the line of the trend: those of the suite's own figures, not of one criterion. */
import type { Detections } from '../../api/detections.ts';
import type { Trend } from '../../api/trend.ts';

export interface FoundChange {
  /** When it seems to have begun; when it was found, if that is not known. */
  readonly at: number;
  readonly is: 'worse' | 'better';
}

const IS: Readonly<Record<string, FoundChange['is']>> = {
  suspected: 'worse',
  regressed: 'worse',
  partly_back: 'better',
  recovered: 'better',
  version_worse: 'worse',
  version_better: 'better',
};

/** `query` has the agents and environments that are shown; none means all. */
export function changesOnLine(
  { changes }: Detections,
  { suite, since, until }: Trend,
  query: URLSearchParams,
): readonly FoundChange[] {
  const [from, to] = [Date.parse(since), Date.parse(until)];
  const shown = (name: string, value: string) => !query.has(name) || query.getAll(name).includes(value);
  const found = changes.flatMap((change): FoundChange[] => {
    const is = IS[change.kind];
    const isOfLine = change.suite === suite && change.criterion === undefined;
    if (is === undefined || !isOfLine) return [];
    if (!shown('agent', change.agent) || !shown('environment', change.environment)) return [];
    const at = Date.parse(change.since ?? change.at);
    return at >= from && at <= to ? [{ at, is }] : [];
  });
  // A change that is suspected first and certain later began once.
  return [...new Map(found.map((one) => [`${one.at} ${one.is}`, one])).values()];
}
