/**
 * An order criterion applied to a conversation: selects the steps, asks the predicate, and says why. It passes where it certainly
 * holds, that is in every order in which the steps can have been done; where the answer hangs on steps that ran side by side, it fails.
 * `all`, `any` and `not` put together what is certain of each of their parts.
 */
import type { SpanId } from '../../model/ids.ts';
import type { StepKind } from '../../model/step.ts';
import { ContentGap } from '../cel/views.ts';
import type { Subject } from '../subject/subject.ts';
import { type Answer, CheckError, notApplicable, type NotApplicable } from '../subject/answer.ts';
import { type Deed, deedsOf, endOf, mayLackSteps, spanOf, startOf } from './ordered-steps.ts';
import type { Limit } from './limit.ts';
import type { OrderPredicate, OrderRule, OrderRuleOptions } from './order-rule.ts';
import { failed, held, missing } from './order-reasons.ts';
import { MEMBERS_MAX, type OrderAmong } from './partial-order.ts';
import { precedenceOf } from './precedence.ts';
import {
  before,
  between,
  type Certainty,
  type Finding,
  first,
  immediatelyBefore,
  last,
  neverAfter,
  respondsTo,
  withinSteps,
  withinTime,
} from './predicates.ts';
import { isOfKind, type Selector } from './step-selector.ts';

export function orderCheck(rule: OrderRule): (subject: Subject) => Answer {
  return (subject) => {
    try {
      const judged = judge(rule, subject);
      if ('notApplicable' in judged) return judged;
      const { holds, reason, evidence } = judged;
      return { pass: holds === 'always', reason, evidence };
    } catch (thrown) {
      if (thrown instanceof ContentGap) return notApplicable(thrown.message, 'not_recorded');
      throw thrown;
    }
  };
}

interface Judged {
  readonly holds: Certainty;
  readonly reason: string;
  readonly evidence: readonly SpanId[];
}

const RANK = { never: 0, depends: 1, always: 2 } as const satisfies Record<Certainty, number>;
const OPPOSITE = { never: 'always', depends: 'depends', always: 'never' } as const satisfies Record<
  Certainty,
  Certainty
>;

function judge(rule: OrderRule, subject: Subject): Judged | NotApplicable {
  switch (rule.is) {
    case 'all':
    case 'any':
      return judgeSeveral(rule, subject);
    case 'not': {
      const inner = judge(rule.rule, subject);
      if ('notApplicable' in inner) return inner;
      const prefix = inner.holds === 'always' ? 'It must not be, and is: ' : '';
      return { ...inner, holds: OPPOSITE[inner.holds], reason: `${prefix}${inner.reason}` };
    }
    default:
      return judgeOne(rule, subject);
  }
}

/** Parts that are not applicable are left out. The reason names the part that decided. */
function judgeSeveral(
  { is, rules }: Extract<OrderRule, { readonly is: 'all' | 'any' }>,
  subject: Subject,
): Judged | NotApplicable {
  const judged = rules.map((rule) => judge(rule, subject));
  const parts = judged.filter((part): part is Judged => !('notApplicable' in part));
  const [one] = parts;
  if (one === undefined) return judged.find((part) => 'notApplicable' in part) ?? notApplicable('It has no parts.');
  const decides = parts.reduce((best, part) => {
    const isDecisive = is === 'all' ? RANK[part.holds] < RANK[best.holds] : RANK[part.holds] > RANK[best.holds];
    return isDecisive ? part : best;
  }, one);
  // An `all` that holds, or an `any` that does not, is so because of each part.
  if ((is === 'all') !== (decides.holds === 'always')) return decides;
  const reason = [...new Set(parts.map((part) => part.reason))].join(' ');
  return { holds: decides.holds, reason, evidence: parts.flatMap(({ evidence }) => evidence) };
}

function judgeOne(rule: OrderPredicate, subject: Subject): Judged | NotApplicable {
  const deeds = deedsOf(subject);
  const matching = (selector: Selector) => deeds.flatMap((deed, at) => (selector.matches(deed, subject) ? [at] : []));
  const a = matching(rule.a);
  switch (rule.is) {
    case 'never':
      return counted(rule, { count: a.length, isRight: a.length === 0, surplus: a }, deeds, subject);
    case 'exactly':
    case 'at_least':
    case 'at_most': {
      const { times, is } = rule;
      const isRight = is === 'exactly' ? a.length === times : is === 'at_least' ? a.length >= times : a.length <= times;
      const surplus = is === 'at_least' ? [] : a.slice(times);
      return counted(rule, { count: a.length, isRight, surplus }, deeds, subject);
    }
    case 'first':
    case 'last': {
      const members = joined(a, stepsAmong(rule, deeds, subject));
      if (members.length === 0) return absent(rule);
      const find = (order: OrderAmong, [as = []]: Sets) => ENDS[rule.is](order, as);
      return ordered({ rule, deeds, subject, members, sets: [a], about: members, find });
    }
    case 'between': {
      const b = matching(rule.b);
      const x = matching(rule.x);
      if (x.length === 0) return absent(rule);
      const find = (order: OrderAmong, [as = [], bs = [], xs = []]: Sets) => between(order, xs, as, bs);
      return ordered({ rule, deeds, subject, members: joined(a, b, x), sets: [a, b, x], about: x, find });
    }
    case 'within': {
      const b = matching(rule.b);
      if (a.length === 0) return absent(rule);
      const { limit } = rule;
      const members = limit.of === 'time' ? joined(a, b) : joined(a, b, stepsAmong(rule, deeds, subject));
      const isNear = (x: number, y: number) => isSoon(deeds[members[x] ?? 0], deeds[members[y] ?? 0], limit);
      const find = (order: OrderAmong, [as = [], bs = []]: Sets) =>
        limit.of === 'time' ? withinTime(order, as, bs, isNear) : withinSteps(order, as, bs, limit.steps);
      return ordered({ rule, deeds, subject, members, sets: [a, b], about: a, find });
    }
    case 'before':
    case 'immediately_before':
    case 'never_after':
    case 'responds_to': {
      const b = matching(rule.b);
      if (b.length === 0) return absent(rule);
      const others = rule.is === 'immediately_before' ? stepsAmong(rule, deeds, subject) : [];
      const find = (order: OrderAmong, [as = [], bs = []]: Sets) => PAIRS[rule.is](order, as, bs);
      return ordered({ rule, deeds, subject, members: joined(a, b, others), sets: [a, b], about: b, find });
    }
  }
}

const ENDS = { first, last } as const;
const PAIRS = {
  before,
  immediately_before: immediatelyBefore,
  never_after: neverAfter,
  responds_to: respondsTo,
} as const;

type Sets = readonly (readonly number[])[];

/** Compares from the end of the one to the beginning of the other. */
function isSoon(a: Deed | undefined, b: Deed | undefined, limit: Limit): boolean {
  return a !== undefined && b !== undefined && limit.of === 'time' && startOf(b) - endOf(a) <= limit.ms;
}

interface ToOrder {
  readonly rule: OrderPredicate;
  readonly deeds: readonly Deed[];
  readonly subject: Subject;
  readonly members: readonly number[];
  readonly sets: readonly (readonly number[])[];
  /** The steps each of which the rule speaks of. */
  readonly about: readonly number[];
  /** Gets the sets as positions among the members. */
  readonly find: (order: OrderAmong, sets: Sets) => Finding;
}

function ordered({ rule, deeds, subject, members, sets, about, find }: ToOrder): Judged | NotApplicable {
  if (members.length > MEMBERS_MAX) {
    throw new CheckError(`There are ${members.length} steps to put in order, and ${MEMBERS_MAX} is the most.`);
  }
  const position = new Map(members.map((member, at) => [member, at]));
  const placed = sets.map((set) => set.flatMap((member) => position.get(member) ?? []));
  const finding = find(precedenceOf(subject).among(members), placed);
  if (finding.holds === 'always') return { holds: 'always', reason: held(rule, about.length), evidence: [] };
  const deedAt = (at: number | undefined) => (at === undefined ? undefined : deeds[members[at] ?? 0]);
  const offender = deedAt(finding.offender);
  const other = deedAt(finding.other);
  const hasOther = finding.other !== undefined && placed[0]?.includes(finding.other) === true;
  const reason = failed(rule, finding, { offender, other, isOtherWanted: hasOther, all: deeds });
  // A step too many was there, whatever else was not recorded.
  const isForWant = rule.is !== 'never_after';
  if (isForWant && mayLackSteps(subject))
    return notApplicable(`${reason} But the trace is partial: steps are missing.`, 'not_recorded');
  const evidence = spansOf([offender, other]);
  return { holds: finding.holds, reason, evidence };
}

interface Count {
  readonly count: number;
  readonly isRight: boolean;
  readonly surplus: readonly number[];
}

function counted(
  rule: Extract<OrderPredicate, { readonly is: 'never' | 'exactly' | 'at_least' | 'at_most' }>,
  { count, isRight, surplus }: Count,
  deeds: readonly Deed[],
  subject: Subject,
): Judged | NotApplicable {
  const reason = missing(rule, count, isRight);
  if (!isRight && surplus.length === 0 && mayLackSteps(subject)) {
    return notApplicable(`${reason} But the trace is partial: steps are missing.`, 'not_recorded');
  }
  const evidence = spansOf(surplus.map((at) => deeds[at]));
  return { holds: isRight ? 'always' : 'never', reason, evidence: isRight ? [] : evidence };
}

function absent(rule: OrderPredicate & OrderRuleOptions): Judged | NotApplicable {
  const reason = held(rule, 0);
  switch (rule.whenAbsent ?? 'not_applicable') {
    case 'not_applicable':
      return notApplicable(reason);
    case 'pass':
      return { holds: 'always', reason, evidence: [] };
    case 'fail':
      return { holds: 'never', reason, evidence: [] };
  }
}

function spansOf(deeds: readonly (Deed | undefined)[]): readonly SpanId[] {
  return deeds.flatMap((deed) => (deed === undefined ? [] : (spanOf(deed) ?? [])));
}

/** Steps that the author names; otherwise all steps of the kinds in the rule's selectors. */
function stepsAmong(
  rule: OrderPredicate & OrderRuleOptions,
  deeds: readonly Deed[],
  subject: Subject,
): readonly number[] {
  const { among } = rule;
  if (among !== undefined) return deeds.flatMap((deed, at) => (among.matches(deed, subject) ? [at] : []));
  const selectors = 'b' in rule ? [rule.a, rule.b] : [rule.a];
  const kinds = new Set<StepKind>();
  for (const selector of selectors) {
    if (selector.kinds === undefined) return deeds.map((_, at) => at);
    for (const kind of selector.kinds) kinds.add(kind);
  }
  return deeds.flatMap((deed, at) => ([...kinds].some((kind) => isOfKind(deed, kind)) ? [at] : []));
}

function joined(...sets: readonly (readonly number[])[]): readonly number[] {
  return [...new Set(sets.flat())].sort((a, b) => a - b);
}
