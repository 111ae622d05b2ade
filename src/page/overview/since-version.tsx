/**
 * Troubles that came with a version: tools that failed, messages of errors, and how conversations broke off, that its
 * conversations have more often than the others of the agent, from as long before what is shown as that is. A score may
 * weigh such a thing lightly, and average it away.
 */
import type { CommonAnswer, FindJson } from '../../api/finds.ts';
import { tellsLess, troubleText } from '../../model/trouble-facts.ts';
import { useReply } from '../api/use-reply.ts';
import { addressOf, withChanges } from '../shell/place.ts';
import { countText } from '../text/format.ts';
import { SpanText } from '../text/span-text.tsx';

const SHOWN = 4;
/** Expected number of facts, of all that are tested, that chance brings this far. */
const CHANCE_MAX = 0.01;

export interface Trouble {
  readonly words: string;
  /** Troubles of nearly the same conversations. */
  readonly also: readonly string[];
  readonly find: FindJson;
}

/** `asked`: the filters of a list of one agent's version, with the time of what it is compared with. */
export function useTroubles(asked: URLSearchParams | undefined): readonly Trouble[] {
  const { reply } = useReply<CommonAnswer>(asked === undefined ? undefined : '/api/v1/common', { query: asked });
  return asked !== undefined && reply?.is === 'here' ? troublesIn(reply.value) : [];
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
  readonly asked: URLSearchParams;
  readonly troubles: readonly Trouble[];
}

export function TroublesOf({ asked }: Pick<SinceVersionProps, 'asked'>) {
  return <SinceVersion asked={asked} troubles={useTroubles(asked)} />;
}

export function SinceVersion({ asked, troubles }: SinceVersionProps) {
  if (troubles.length === 0) return null;
  return (
    <section class="since-version">
      <h2>
        {'More often with '}
        <SpanText text={asked.get('agent_version') ?? ''} charactersMax={80} />
      </h2>
      <ul>
        {troubles.slice(0, SHOWN).map((trouble) => (
          <li key={trouble.find.fact}>
            <a href={addressOf('conversations', withChanges(asked, { fact: trouble.find.fact }))}>
              <SpanText text={trouble.words} charactersMax={200} />
            </a>
            <SpanText in="span" class="aside" text={` ${oftenText(trouble)}`} charactersMax={400} />
          </li>
        ))}
      </ul>
    </section>
  );
}
