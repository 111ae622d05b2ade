/** Writes the reasons of order criteria: which step it was, and what should have come when. */
import { toExcerpt } from '../subject/sentences.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { Deed } from './ordered-steps.ts';
import type { OrderPredicate } from './order-rule.ts';
import type { Finding } from './predicates.ts';

type Counting = Extract<OrderPredicate, { readonly is: 'never' | 'exactly' | 'at_least' | 'at_most' }>;

/** The rule holds, for so many steps that it is about; none of them where it does not apply. */
export function held(rule: OrderPredicate, times: number): string {
  const each = times > 1 ? `, all ${times} times` : '';
  switch (rule.is) {
    case 'before':
      return times === 0 ? none(rule.b.words) : `${rule.a.words} came before ${rule.b.words}${each}.`;
    case 'immediately_before':
      return times === 0 ? none(rule.b.words) : `${rule.a.words} came just before ${rule.b.words}${each}.`;
    case 'never_after':
      return times === 0 ? none(rule.b.words) : `${rule.a.words} never came after ${rule.b.words}.`;
    case 'responds_to':
      return times === 0 ? none(rule.b.words) : `${rule.a.words} followed ${rule.b.words}${each}.`;
    case 'within':
      return times === 0
        ? none(rule.a.words)
        : `${rule.b.words} followed ${rule.a.words} within ${rule.limit.words}${each}.`;
    case 'between':
      return times === 0
        ? none(rule.x.words)
        : `${rule.x.words} came between ${rule.a.words} and ${rule.b.words}${each}.`;
    case 'first':
    case 'last':
      return times === 0 ? `There was no step to come ${rule.is}.` : `${rule.a.words} came ${rule.is}.`;
    case 'never':
    case 'exactly':
    case 'at_least':
    case 'at_most':
      return missing(rule, times, true);
    default:
      return unreachable(rule);
  }
}

function none(words: string): string {
  return `There was no ${words}.`;
}

/** How often it came, and how often it should have. */
export function missing(rule: Counting, count: number, isRight: boolean): string {
  const came = `${rule.a.words} ${count === 0 ? 'never came' : count === 1 ? 'came once' : `came ${count} times`}`;
  if (isRight) return `${came}.`;
  if (rule.is === 'never') return `${came}; it must never come.`;
  return `${came}; it should come ${rule.is.replace('_', ' ')} ${rule.times === 1 ? 'once' : `${rule.times} times`}.`;
}

interface Involved {
  readonly offender: Deed | undefined;
  readonly other: Deed | undefined;
  /** True if the other step is one that the rule asks for. */
  readonly isOtherWanted: boolean;
  readonly all: readonly Deed[];
}

export function failed(
  rule: OrderPredicate,
  finding: Finding,
  { offender, other, isOtherWanted, all }: Involved,
): string {
  const it = nameOf(offender, all);
  const that = nameOf(other, all);
  switch (rule.is) {
    case 'before':
      return lacksBefore(it, that, rule.a.words, finding);
    case 'responds_to':
      return lacksAfter(it, that, rule.a.words, finding);
    case 'between':
      return finding.side === 'before'
        ? lacksBefore(it, that, rule.a.words, finding)
        : lacksAfter(it, that, rule.b.words, finding);
    case 'within':
      return finding.stance === 'too-far'
        ? `${it} was followed by ${that}, but not certainly within ${rule.limit.words}.`
        : lacksAfter(it, that, rule.b.words, finding);
    case 'never_after':
      return finding.stance === 'beside'
        ? `${it} and ${that} ran side by side, so that ${it} may have come after; it must not.`
        : `${it} came after ${that}; it must not.`;
    case 'immediately_before':
      if (finding.stance === 'not-next') return `${that} came just before ${it}; it should have been ${rule.a.words}.`;
      return finding.stance === 'beside' && !isOtherWanted
        ? `${that} ran beside ${it} and may have come just before it; it should have been ${rule.a.words}.`
        : lacksBefore(it, that, rule.a.words, finding);
    case 'first':
    case 'last':
      return finding.stance === 'beside'
        ? `${it} ran beside ${that} and may have come ${rule.is}; it should have been ${rule.a.words}.`
        : `${it} came ${rule.is}; it should have been ${rule.a.words}.`;
    case 'never':
    case 'exactly':
    case 'at_least':
    case 'at_most':
      return missing(rule, 0, false);
    default:
      return unreachable(rule);
  }
}

function lacksBefore(it: string, that: string, wanted: string, { stance }: Finding): string {
  if (stance === 'absent') return `${it} came without ${wanted} before it: there was none.`;
  return stance === 'beside'
    ? `${it} and ${that} ran side by side; ${that} should have come first.`
    : `${it} came before ${that}, which should have come first.`;
}

function lacksAfter(it: string, that: string, wanted: string, { stance }: Finding): string {
  if (stance === 'absent') return `${it} was not followed by ${wanted}: there was none.`;
  return stance === 'beside'
    ? `${it} and ${that} ran side by side; ${that} should have come after it.`
    : `${it} was not followed by ${wanted}: the last, ${that}, came before it.`;
}

/** Name, with its number if several steps have it. */
function nameOf(deed: Deed | undefined, all: readonly Deed[]): string {
  if (deed === undefined) return 'a step';
  const name = toExcerpt(deed.name);
  const alike = all.filter(({ kind, name: other }) => kind === deed.kind && other === deed.name);
  const number = alike.length > 1 ? ` (${alike.indexOf(deed) + 1} of ${alike.length})` : '';
  return `${deed.kind === 'tool' ? '' : `the ${deed.kind} step `}${name}${number}`;
}
