/** A find as an answer has it: in words, with the latest of its conversations and the way to all of them. */
import type { FindJson } from '../../../api/finds.ts';
import type { FindSource } from '../../../model/find-sources.ts';
import type { Find } from '../../../statistics/discovery/finds.ts';
import type { Lift, Share } from '../../../statistics/discovery/over-represented.ts';
import type { FactsOf } from '../../../store/frame-reader.ts';

const IDS_MAX = 5;
const ALSO_MAX = 6;

const THOSE: Readonly<Record<Exclude<FindSource, 'new'>, string>> = {
  came_out_bad: 'conversations that came out bad',
  feedback_negative: 'conversations with negative feedback',
  read_bad: 'conversations that people read as bad',
  criteria_failed: 'conversations with a partial or hard failure',
  foretold_bad: 'conversations with the lowest prediction',
};

interface Told {
  readonly conversations: readonly FactsOf[];
  readonly source: FindSource | 'list';
  readonly linkTo: (fact: string) => string;
}

export function findJson(
  { fact, within, beside, chance, lift, members, withIt }: Find,
  { conversations, source, linkTo }: Told,
): FindJson {
  const latest = members
    .flatMap((member) => conversations[member] ?? [])
    .toSorted((a, b) => b.beganAt - a.beganAt || b.row - a.row)
    .slice(0, IDS_MAX);
  return {
    fact,
    says: source === 'new' ? newWords(within, beside) : `${oftenWords(lift)} ${amongWords(source, within, beside)}`,
    within,
    others: beside,
    lift: {
      ...(lift.value === undefined ? {} : { value: figure(lift.value) }),
      low: figure(lift.low),
      ...(lift.high === undefined ? {} : { high: figure(lift.high) }),
    },
    chance: Number(chance.toPrecision(3)),
    also: withIt.slice(0, ALSO_MAX),
    conversation_ids: latest.map(({ conversationId }) => conversationId),
    link: linkTo(fact),
  };
}

function newWords(within: Share, beside: Share): string {
  return `in ${counted(within)} conversations, and in none of ${number(beside.of)} of the four weeks before`;
}

function amongWords(source: Exclude<Told['source'], 'new'>, within: Share, beside: Share): string {
  const those = source === 'list' ? 'these' : THOSE[source];
  const others = beside.count === 0 ? `none of ${number(beside.of)}` : counted(beside);
  return `among ${those}: ${counted(within)}, against ${others} others`;
}

function oftenWords({ value, low, high }: Lift): string {
  if (value === undefined || high === undefined) return `at least ${times(low)} as often`;
  return `${times(value)} as often (${figure(low)} to ${figure(high)})`;
}

function times(ratio: number): string {
  return `${figure(ratio)} times`;
}

/** Three digits say more than the intervals allow. */
function figure(ratio: number): number {
  return ratio >= 10 ? Math.round(ratio) : Number(ratio.toPrecision(2));
}

function counted({ count, of }: Share): string {
  return `${number(count)} of ${number(of)}`;
}

function number(count: number): string {
  return count.toLocaleString('en');
}

type Asked = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** The list with these filters, of which times are in milliseconds. */
export function listLink(asked: Asked): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) {
    if (value === undefined) continue;
    const isTime = name === 'since' || name === 'until';
    const given = typeof value === 'string' || typeof value === 'number' ? [value] : value;
    for (const one of given) query.append(name, isTime ? new Date(one).toISOString() : String(one));
  }
  return `/conversations?${query.toString()}`;
}
