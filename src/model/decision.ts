/**
 * Defines, for each kind of verdict, whether it answers the criterion's question, and what it counts as in a score.
 * Everything that counts verdicts asks here, so that a new kind is decided upon once.
 */
import type { DecidedVerdict, UndecidedReason, Verdict, VerdictKind } from './evaluation.ts';
import { unreachable } from './unreachable.ts';

type Decision = DecidedVerdict['verdict'];

/** An answered question has one of these verdicts. */
export const DECISIONS = ['pass', 'fail'] as const satisfies readonly Decision[];

const DECISION_OF = {
  pass: 'pass',
  fail: 'fail',
  not_applicable: undefined,
  error: undefined,
  skipped: undefined,
} as const satisfies { readonly [kind in VerdictKind]: kind extends Decision ? kind : undefined };

/** Undefined where the question was not answered. */
export function decisionOf(kind: VerdictKind): Decision | undefined {
  return DECISION_OF[kind];
}

export function isDecided(verdict: Verdict): verdict is DecidedVerdict {
  return decisionOf(verdict.verdict) !== undefined;
}

/** Why a question that was asked has no answer; undefined where it has one, was not asked, or does not arise. */
export function undecidedBy(verdict: Verdict): UndecidedReason | undefined {
  switch (verdict.verdict) {
    case 'not_applicable':
      return verdict.undecided;
    case 'error':
      return 'error';
    case 'pass':
    case 'fail':
    case 'skipped':
      return undefined;
    default:
      return unreachable(verdict);
  }
}

const IS_BROKEN = {
  pass: false,
  fail: false,
  not_applicable: false,
  error: true,
  skipped: false,
} satisfies Record<VerdictKind, boolean>;

/** The check or the judge failed, and not the agent. */
export function isBroken(kind: VerdictKind): boolean {
  return IS_BROKEN[kind];
}

const IS_ANSWER = {
  pass: true,
  fail: true,
  not_applicable: true,
  error: false,
  skipped: false,
} satisfies Record<VerdictKind, boolean>;

/** The criterion was looked at, were it to find that it does not apply. */
export function isAnswer(kind: VerdictKind): boolean {
  return IS_ANSWER[kind];
}

/** Ways in which a suite may count a criterion that does not apply. */
export const NOT_APPLICABLE_HANDLINGS = ['exclude', 'pass', 'fail'] as const;
export type NotApplicableHandling = (typeof NOT_APPLICABLE_HANDLINGS)[number];

export function countedAs(kind: VerdictKind, whenNotApplicable: NotApplicableHandling): Decision | 'exclude' {
  switch (kind) {
    case 'pass':
    case 'fail':
      return kind;
    case 'not_applicable':
      return whenNotApplicable;
    case 'error':
    case 'skipped':
      return 'exclude';
    default:
      return unreachable(kind);
  }
}
