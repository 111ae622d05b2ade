/**
 * The line above a narrowed list: few facts that its conversations have in common, against the others of the same agent
 * and time. Each fact is a link to its conversations.
 */
import type { CommonAnswer } from '../../api/finds.ts';
import { useReply } from '../api/use-reply.ts';
import { addressOf, LIST_FILTERS, type Place, withChanges } from '../shell/place.ts';
import { SpanText } from '../text/span-text.tsx';
import { listQueryOf } from './conversation-filters.tsx';

const SHOWN = 6;
/** Filters that choose some conversations of an agent; the order chooses none. */
const NARROWING = ['agent_version', 'environment', 'segment', ...LIST_FILTERS].filter((name) => name !== 'order');

/** Nothing where the list is not narrowed, because it has nothing to be compared with. */
export function SetApart({ place }: { readonly place: Place }) {
  const isNarrowed = NARROWING.some((name) => place.query.has(name));
  const query = withChanges(listQueryOf(place), { order: undefined });
  const { reply, isOld } = useReply<CommonAnswer>(isNarrowed ? '/api/v1/common' : undefined, { query });
  if (!isNarrowed || (reply !== undefined && reply.is !== 'here')) return null;
  if (reply === undefined || isOld) return <p class="set-apart aside">Looking for what sets these apart …</p>;
  return <FactStrip common={reply.value} place={place} />;
}

export function FactStrip({ common, place }: { readonly common: CommonAnswer; readonly place: Place }) {
  const { agent = '', agents, says, finds, within, others } = common;
  if (within === 0 || others === 0) return null;
  return (
    <section class="set-apart" aria-label="What these conversations have in common">
      <span class="aside">
        {says}
        {agents > 1 && ' Of one agent, '}
        {agents > 1 && <SpanText text={agent} charactersMax={60} />}
      </span>
      <ul>
        {finds.slice(0, SHOWN).map(({ fact, says: often, also, lift }) => (
          <li key={fact}>
            <a href={addressOf('conversations', withFact(place, fact))} title={titleOf(often, also)}>
              <SpanText text={fact} charactersMax={80} />
            </a>
            <span class="aside">{` ${lift.value === undefined ? `> ${lift.low}` : lift.value} ×`}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function withFact({ query }: Place, fact: string): URLSearchParams {
  return withChanges(query, { fact: [...query.getAll('fact'), fact] });
}

function titleOf(often: string, also: readonly string[]): string {
  return also.length === 0 ? often : `${often}. With it: ${also.join('; ')}`;
}
