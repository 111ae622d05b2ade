/**
 * Troubles that came with a version: tools that failed, messages of errors, and how conversations broke off, that its
 * conversations have more often than the others of the agent, from as long before what is shown as that is. A score may
 * weigh such a thing lightly, and average it away.
 */
import type { CommonAnswer, FindJson } from '../../api/finds.ts';
import type { Trend } from '../../api/trend.ts';
import { tellsLess, troubleText } from '../../model/trouble-facts.ts';
import { useReply } from '../api/use-reply.ts';
import { addressOf, onlyOf, type Place, sharedFilters, withChanges } from '../shell/place.ts';
import { countText } from '../text/format.ts';
import { SpanText } from '../text/span-text.tsx';
import { beforeOf } from './moved-parts.tsx';

const SHOWN = 4;
/** Expected number of facts, of all that are tested, that chance brings this far. */
const CHANCE_MAX = 0.01;

export interface Trouble {
  readonly words: string;
  /** Troubles of nearly the same conversations. */
  readonly also: readonly string[];
  readonly find: FindJson;
}

/** Asked for one agent with a version that is new in what is shown. */
export function useTroubles(trend: Trend, { query }: Place, version: string | undefined): readonly Trouble[] {
  const [agent = ''] = trend.agents;
  const asked = withChanges(onlyOf(query, ['environment', 'segment', 'until']), {
    agent,
    agent_version: version,
    since: beforeOf(trend),
  });
  const { reply } = useReply<CommonAnswer>(version === undefined ? undefined : '/api/v1/common', { query: asked });
  return version !== undefined && reply?.is === 'here' ? troublesIn(reply.value) : [];
}

/** The most frequent first: the least likely ones may be of few conversations. */
export function troublesIn({
  finds,
  looked_at: tested,
}: Pick<CommonAnswer, 'finds' | 'looked_at'>): readonly Trouble[] {
  return finds
    .flatMap((find) => {
      const words = troubleText(find.fact);
      if (words === undefined || find.chance * tested > CHANCE_MAX) return [];
      return [
        {
          words,
          also: find.also.toSorted((a, b) => tellsLess(a) - tellsLess(b)).flatMap((fact) => troubleText(fact) ?? []),
          find,
        },
      ];
    })
    .toSorted((a, b) => b.find.within.count - a.find.within.count);
}

/** How often it came, how often before, and what came with it. */
export function oftenText({ find: { within, others }, also }: Pick<Trouble, 'find' | 'also'>): string {
  const before =
    others.count === 0 ? `none of ${countText(others.of)}` : `${countText(others.count)} of ${countText(others.of)}`;
  return `in ${countText(within.count)} of ${countText(within.of)} conversations, and in ${before} others${also.length === 0 ? '' : `; with it, ${also.join(', ')}`}`;
}

interface SinceVersionProps {
  readonly troubles: readonly Trouble[];
  readonly version: string | undefined;
  readonly trend: Trend;
  readonly place: Place;
}

export function SinceVersion({ troubles, version, trend, place }: SinceVersionProps) {
  if (troubles.length === 0) return null;
  const filters = { agent: trend.agents[0], agent_version: version, suite: undefined, since: beforeOf(trend) };
  const address = (fact: string) =>
    addressOf('conversations', withChanges(sharedFilters(place.query), { ...filters, fact }));
  return (
    <section class="since-version">
      <h2>
        {'More often with '}
        <SpanText text={version ?? ''} charactersMax={80} />
      </h2>
      <ul>
        {troubles.slice(0, SHOWN).map((trouble) => (
          <li key={trouble.find.fact}>
            <a href={address(trouble.find.fact)}>
              <SpanText text={trouble.words} charactersMax={200} />
            </a>
            <SpanText in="span" class="aside" text={` ${oftenText(trouble)}`} charactersMax={400} />
          </li>
        ))}
      </ul>
    </section>
  );
}
