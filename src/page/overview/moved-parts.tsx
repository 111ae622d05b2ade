/**
 * The parts that moved the mean score: since a version was first seen, if one agent is shown and one was within the time
 * shown, otherwise since its beginning. Compared with all before it, from as long before what is shown as that is. The
 * parts add up to the difference.
 */
import { useEffect, useRef } from 'preact/hooks';
import type { Moved } from '../../api/moved.ts';
import type { Trend } from '../../api/trend.ts';
import { type Held, useReply } from '../api/use-reply.ts';
import { addressOf, onlyOf, type Place, sharedFilters, withChanges } from '../shell/place.ts';
import { Here } from '../shell/here.tsx';
import { countText, counted, points } from '../text/format.ts';
import { SpanText } from '../text/span-text.tsx';
import { Time } from '../text/time.tsx';

interface MovedProps {
  readonly asked: ReturnType<typeof useMoved>;
  readonly trend: Trend;
  readonly place: Place;
}

const PARTS_SHOWN = 12;
/** Spans that name no version. Seeing them first is no release. */
const NO_VERSION = 'unknown';

/** Its reply is asked for once, and the first sentence of the overview says the same. */
export function useMoved(
  trend: Trend,
  place: Place,
): { readonly reply: Held<Moved>['reply']; readonly version: string | undefined } {
  const { query, version } = movedQueryOf(trend, place);
  const { reply } = useReply<Moved>('/api/v1/moved', { query });
  return { reply, version };
}

export function movedQueryOf(
  trend: Trend,
  place: Place,
): { readonly query: URLSearchParams; readonly version: string | undefined } {
  const version = newestVersion(trend, place);
  const query = withChanges(onlyOf(place.query, ['agent', 'environment']), {
    suite: trend.suite,
    since: version?.at ?? trend.since,
    // The end of the trend, which may still be that of an earlier address: then it is after `since` as well.
    until: place.query.has('until') ? trend.until : undefined,
    against_since: version === undefined ? undefined : beforeOf(trend),
    version: onlyVersion(place),
  });
  return { query, version: version?.agent_version };
}

export function MovedParts({ asked: { reply, version }, trend, place }: MovedProps) {
  const because = version === undefined ? '' : `, when ${version} was first seen`;
  return (
    <Here of={{ reply }} otherwise={(why) => <SpanText in="p" class="aside" text={why} charactersMax={600} />}>
      {(moved) =>
        // The first sentence says that it is too early.
        moved.difference !== undefined && (
          <section class="moved">
            <h2>
              {'What moved the score since '}
              <Time at={moved.after.since} />
              {because}
            </h2>
            <Parts moved={moved} difference={moved.difference} scope={trend.scope} place={place} />
            {moved.cut && (
              <p class="aside">{`A sample of ${countText(moved.looked_at)} evaluations was compared: the latest of each eighth of both times.`}</p>
            )}
            {moved.other_versions > 0 && (
              <p class="aside">{`${counted(moved.other_versions, 'evaluation')} by other versions of the suite are in no figure.`}</p>
            )}
          </section>
        )
      }
    </Here>
  );
}

/** Beginning of the time before the one that is shown: a line of the fleet compares with the same. */
export function beforeOf({ since, until }: Pick<Trend, 'since' | 'until'>): string {
  return new Date(2 * Date.parse(since) - Date.parse(until)).toISOString();
}

/** The latest one, unless several agents are shown: a version is of one of them. A version that is chosen is compared with the time before it, too. */
function newestVersion({ versions, agents }: Trend, { query }: Place): Trend['versions'][number] | undefined {
  if (agents.length !== 1) return undefined;
  const chosen = query.getAll('agent_version');
  return versions
    .filter(({ agent }) => agent === agents[0])
    .filter(({ agent_version: version }) => version !== NO_VERSION && (chosen.length === 0 || chosen.includes(version)))
    .toSorted((a, b) => (a.at < b.at ? 1 : -1))[0];
}

/** Several cannot be compared with the time before at once. */
function onlyVersion({ query }: Place): string | undefined {
  const chosen = query.getAll('agent_version');
  return chosen.length === 1 ? chosen[0] : undefined;
}

interface PartsProps {
  readonly moved: Moved;
  readonly difference: NonNullable<Moved['difference']>;
  readonly scope: Trend['scope'];
  readonly place: Place;
}

function Parts({ moved: { parts, unchanged, after, before, suite }, difference, scope, place }: PartsProps) {
  const shown = parts.slice(0, PARTS_SHOWN);
  const largest = Math.max(...shown.map((one) => Math.abs(one.points)), 0.001);
  const filters = withChanges(sharedFilters(place.query), { since: after.since, suite });
  const isClear = difference.low > 0 || difference.high < 0;
  return (
    <div>
      <p>
        <strong>{`${points(difference.value)} points`}</strong>
        {` (${points(difference.low)} to ${points(difference.high)}), `}
        {isClear ? '' : 'which may be chance, '}
        {`${counted(after.evaluations, scope)} compared with ${countText(before.evaluations)} before:`}
      </p>
      <table class="parts">
        <thead class="only-heard">
          <tr>
            {['Part', 'Points', 'Size', 'Conversations'].map((one) => (
              <th key={one} scope="col">
                {one}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((part) => (
            <PartRow key={`${part.kind} ${part.name}`} part={part} largest={largest} scope={scope} filters={filters} />
          ))}
        </tbody>
      </table>
      <p class="aside">A bar has a colour where the change is hardly chance, with regard to all criteria.</p>
      {unchanged > 0 && <p class="aside">{`${counted(unchanged, 'criterion', 'criteria')} did not change.`}</p>}
    </div>
  );
}

const KIND_WORDS = {
  criterion: '',
  hard_failures: 'hard failures',
  mix: 'another mix of traffic, or of what was decided',
} as const;

interface PartRowProps {
  readonly part: Moved['parts'][number];
  readonly largest: number;
  readonly scope: Trend['scope'];
  readonly filters: URLSearchParams;
}

function PartRow({ part, largest, scope, filters }: PartRowProps) {
  const bar = useRef<HTMLDivElement>(null);
  const width = `${(Math.abs(part.points) / largest) * 100}%`;
  useEffect(() => bar.current?.style.setProperty('width', width), [width]);
  const name = part.kind === 'criterion' ? part.name : KIND_WORDS[part.kind];
  const failed = part.evaluations ?? 0;
  const behind = behindPart(part);
  return (
    <tr class={part.clear === true ? (part.points < 0 ? 'fell' : 'rose') : 'unclear'}>
      <th scope="row">{name}</th>
      <td class="number">{points(part.points)}</td>
      <td class="bar-cell">
        <div ref={bar} class="bar" />
      </td>
      <td>
        {behind !== undefined && (failed > 0 || part.criterion === undefined) && (
          <a href={addressOf('conversations', withChanges(filters, behind))}>
            {failed > 0 ? `${counted(failed, scope)} failed it` : 'show them'}
          </a>
        )}
      </td>
    </tr>
  );
}

/** The filter that finds the conversations behind a part; undefined where no conversation alone shows it. */
function behindPart({ kind, criterion }: Moved['parts'][number]): Readonly<Record<string, string>> | undefined {
  if (kind === 'hard_failures') return { outcome: 'hard_failure' };
  return criterion === undefined ? undefined : { criterion };
}
