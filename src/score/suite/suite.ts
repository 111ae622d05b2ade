/**
 * A suite as its author writes it (`Suite`, what `defineSuite` takes and the YAML reader makes) and as the engine runs
 * it (`CompiledSuite`). Both ways of writing end in the same compiled form, so that they cannot differ in meaning.
 */
import type { Ledger } from '../../model/exporters.ts';
import type { Certificates } from '../../model/certificate.ts';
import type { NotApplicableHandling } from '../../model/decision.ts';
import type { Conversation } from '../../model/conversation.ts';
import type { About, Finding, Millionths, SuiteScope, Verdict } from '../../model/evaluation.ts';
import type { ScoredOutcome } from '../../model/severity.ts';
import type { ToolNames } from '../../model/tool-names.ts';
import type { Answer, NotApplicable } from '../subject/answer.ts';
import type { SuiteDefinition } from './definition.ts';
import type { FailsAs } from '../subject/failure-kind.ts';
import type { HandsOver } from '../subject/hand-over.ts';
import type { Judged, Judging } from '../judge/judged-criterion.ts';
import type { Need } from '../subject/needs.ts';
import type { ToolEffects } from '../subject/tool-effects.ts';
import type { Extracts, OutcomeView, Subject, SubjectWith } from '../subject/subject.ts';
import type { GoldenLibrary } from '../trajectory/golden-library.ts';
import type { PolicyGuard } from '../trajectory/tool-policy.ts';
import type { Weighing, Weight } from '../subject/weigh.ts';

/** Code answers, or a model does. */
export type Criterion<E extends Extracts = Extracts> = CheckedCriterion<E> | CriterionForJudge<E>;

export interface CheckedCriterion<E extends Extracts = Extracts> extends CriterionParts<E> {
  readonly check: (subject: SubjectWith<E>) => Answer;
  readonly judge?: undefined;
}

interface CriterionForJudge<E extends Extracts = Extracts> extends CriterionParts<E> {
  /** A bare text is the name of a judge. */
  readonly judge: Judging | string;
  readonly check?: undefined;
}

interface CriterionParts<E extends Extracts = Extracts> {
  /** Letters, digits and underscores: it becomes a metric label and a name in outcome rules. */
  readonly name: string;
  /** The yes/no question a user would ask; yes is good. */
  readonly question: string;
  /** A decimal with at most six places. The weights of a suite sum to 1. */
  readonly weight: number;
  /** Content that must have been recorded for the question to be answerable. */
  readonly needs?: readonly Need[];
  /** Whether the question arises at all. A text says why it does not. */
  readonly when?: (subject: SubjectWith<E>) => boolean | NotApplicable;
  /** Effect of `not_applicable` on the score. */
  readonly whenNotApplicable?: NotApplicableHandling;
  /** Fields of arguments, results and state, as written, without which it cannot be decided. */
  readonly restsOn?: readonly string[];
  /** True if the expression or the condition reads nothing of the conversation. */
  readonly isConstant?: boolean;
  /** True if it reads `actions`, `outputs`, `order` and `complete` of the truth. */
  readonly readsTaskTruth?: boolean;
  /**
   * Failing it caps the outcome: at `partial_failure`, or at the outcome named. A criterion about more than form bars a
   * success in any case, unless this is `false`.
   */
  readonly critical?: boolean | ScoredOutcome;
  /** Kind of failure that it is when it fails, in a few words, such as `loop`; its name unless given. The first that holds, of several. */
  readonly failsAs?: string | readonly FailsAs[];
  /**
   * Subject, if it differs from that of the check. It can be weaker than that of a built-in check or a judge, never
   * stronger.
   */
  readonly about?: About;
  /** True if the expression reads form alone: the subject is `form`, unless `about` says more. */
  readonly readsFormOnly?: boolean;
}

/** Conversations a suite is for. Texts are globs (`*`, `?`); of a list one must match; every field given must match. */
export interface Match {
  readonly agent?: string | readonly string[];
  readonly version?: string | readonly string[];
  readonly environment?: string | readonly string[];
  readonly attributes?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  /** Beyond the fields: gives the reason why not, or undefined where it matches. */
  readonly whyNot?: (conversation: Conversation) => string | undefined;
}

/** Result of a conversation that broke off. */
export const CRASH = ['hard_failure', 'by_criteria'] as const;

export interface OutcomeRule<E extends Extracts = Extracts> {
  readonly outcome: ScoredOutcome;
  /** Condition; without it the rule always holds. */
  readonly when?: (view: OutcomeView<E>) => boolean;
  /** The condition in words, for the explanation. */
  readonly because?: string;
}

export interface Suite<E extends Extracts = Extracts> {
  readonly name: string;
  /** '1' unless given. Change it whenever a change makes scores incomparable. */
  readonly version?: string;
  readonly description?: string;
  readonly scope: SuiteScope;
  /** Allows weights that do not sum to 1. */
  readonly normalize?: boolean;
  /** The share of the weight that must be decided for there to be a score; 0.5 unless given. */
  readonly minDecided?: number;
  readonly match?: Match;
  /** Pieces of the conversation, named once; computed when first read and at most once per evaluation. */
  readonly extract?: { readonly [K in keyof E]: (subject: Subject) => E[K] };
  /** Subject of its criteria, if it is not the task: `rules` for a suite that only looks for forbidden behaviour. */
  readonly about?: About;
  /** A failed criterion that is `critical: 'hard_failure'` makes the score 0, unless this is true. */
  readonly hardFailureKeepsScore?: boolean;
  /** A conversation that broke off is a hard failure with score 0, unless its criteria are to decide that. */
  readonly crash?: (typeof CRASH)[number];
  /** The task was done. By default: the last turn ended with an answer and without an error. */
  readonly completed?: (subject: SubjectWith<E>) => boolean;
  /** The task was given up or broke. By default: the last turn has an error or no answer. */
  readonly failed?: (subject: SubjectWith<E>) => boolean;
  readonly criteria: readonly Criterion<E>[];
  readonly outcomes?: readonly OutcomeRule<E>[];
  /** Approved runs that conversations are compared with, beyond what criteria do with them: for findings. */
  readonly golden?: GoldenLibrary;
  /** Which tools change something and which only look, where their names mislead. */
  readonly tools?: ToolNames;
  /** Tool policy; a call that breaks it is never a right step of a golden trace. */
  readonly toolPolicy?: PolicyGuard;
}

/** A criterion with its weight as written; its share of the suite is `weight / totalWeight`. */
export interface CompiledCriterion extends Weight {
  readonly question: string;
  readonly needs: readonly Need[];
  readonly about: About;
  readonly failsAs: readonly FailsAs[];
  /** The suite says so (`critical: false`). */
  readonly mayFailInSuccess: boolean;
  /** True if it is about form because its expression reads nothing else. */
  readonly readsFormOnly: boolean;
  readonly restsOn: readonly string[];
  readonly isConstant: boolean;
  readonly readsTaskTruth: boolean;
  readonly when: ((subject: SubjectWith<Extracts>) => unknown) | undefined;
  /** Not trusted to give what its type says: the engine looks at what comes back. */
  readonly check: (subject: SubjectWith<Extracts>) => unknown;
  /** Set where a model answers, and not `check`. */
  readonly judged: Judged | undefined;
  /** Text that its answer depends on, with the suite's `sight`; undefined for code. */
  readonly definition: string | undefined;
}

export interface CompiledOutcomeRule {
  readonly outcome: ScoredOutcome;
  readonly when: (view: OutcomeView) => unknown;
  readonly because: string;
}

export interface CompiledSuite extends Weighing {
  readonly name: string;
  readonly version: string;
  /** `name@version`: evaluations of different ids are never compared. */
  readonly id: string;
  readonly description: string;
  readonly scope: SuiteScope;
  readonly criteria: readonly CompiledCriterion[];
  /** The sum of the weights: a million unless the suite normalizes. */
  readonly totalWeight: Millionths;
  /** The most that its criteria are about. */
  readonly about: About;
  /** Whether a tool hands the conversation over to a person. */
  readonly handsOver: HandsOver;
  /** Leaves out criteria that are no longer what was measured. Absent for a suite without a file. */
  readonly certificates?: Certificates;
  /** Knows which evidence exporters send, by the shipped ledger and the configuration. */
  readonly exporters: Ledger;
  matches(conversation: Conversation): boolean;
  /**
   * Condition that holds for one of the turns, as a conversation of its own, whenever the suite matches the whole; a
   * suite of scope `turn` matches such conversations alone. Undefined where nothing can be said without the whole.
   */
  readonly matchesTurn: ((conversation: Conversation) => boolean) | undefined;
  /** Why this suite is not for this conversation, in a sentence; undefined where it is. Never throws. */
  whyNot(conversation: Conversation): string | undefined;
  readonly extractsOf: (subject: Subject) => Extracts;
  readonly completed: (subject: SubjectWith<Extracts>) => unknown;
  readonly failed: (subject: SubjectWith<Extracts>) => unknown;
  readonly outcomes: readonly CompiledOutcomeRule[];
  /** Which tools change something, by the suite and by the configuration that it was loaded with. */
  readonly effects: ToolEffects;
  /** Definition that shows which verdicts of another version hold here as well. */
  readonly definition: SuiteDefinition;
  /** Keys of the truth that it reads by expressions or code. */
  readonly truthKeys: ReadonlySet<string>;
  /** All that is written in it; another one whenever anything is. For code, the text of its module. */
  readonly text: string;
  /**
   * Set for a suite in shadow: it runs beside the live suite of its name, is stored and compared, and counts for
   * nothing.
   */
  readonly shadow?: true;
  /** Findings beyond the verdicts; undefined for a suite that has none. */
  readonly findingsOf: ((subject: SubjectWith<Extracts>) => readonly Finding[]) | undefined;
  /** The approved runs that it compares conversations with. */
  readonly golden: GoldenLibrary | undefined;
  readonly toolPolicy: PolicyGuard | undefined;
  /** Place in its file, for messages. */
  readonly file: string;
  readonly line: number | undefined;
}

export type Verdicts = ReadonlyMap<string, Verdict>;
