/**
 * The columns of an evaluation that both stores have, each with its type and its value. Inserts, copies, retention, the
 * export and scans follow from them. A new column is a line here, a migration in each schema, and a producer of the value.
 */
import { ENDINGS } from '../model/ending.ts';
import { decisionOf } from '../model/decision.ts';
import { ABOUTS, type Evaluation, OUTCOMES, type Outcome } from '../model/evaluation.ts';
import type { ConversationId, TurnId } from '../model/ids.ts';
import { fromSuiteKey, suiteKey } from '../model/suite-key.ts';
import { encodeBasis } from './basis-codec.ts';
import type { Column } from './column.ts';
import { decodeVerdicts, encodeVerdicts } from './verdict-codec.ts';

/** Kept of the conversation as it was when it was scored, for those who weigh it again. Older rows lack the newer ones. */
export const SEEN_COLUMNS = {
  /** Log time at which it was scored. */
  at: { name: 'scored_at', type: 'bigint' },
  steps: { name: 'steps', type: 'int' },
  /** In billionths of a dollar. */
  costNanos: { name: 'cost_nanos', type: 'bigint' },
  tokens: { name: 'tokens', type: 'bigint' },
  durationMs: { name: 'duration_ms', type: 'bigint' },
  /** When the conversation or the turn began (`engine/conversation-time.ts`). */
  beganAt: { name: 'began_at', type: 'bigint' },
  /** Hashes of its user and of its kind (`engine/detection/traits.ts`): comparisons only ask which are the same. */
  userKey: { name: 'user_key', type: 'bigint' },
  kindKey: { name: 'kind_key', type: 'bigint' },
} as const;

// The cast holds because these are the table's own keys.
const SEEN_KEYS = Object.keys(SEEN_COLUMNS) as readonly (keyof typeof SEEN_COLUMNS)[];

export type SeenConversation = { readonly [Key in keyof typeof SEEN_COLUMNS]: number | undefined };

/** The time of an evaluation in figures: that of its conversation or turn, and of one that is older than this column, of its scoring. */
export function timeOf({ beganAt, at }: Pick<SeenConversation, 'beganAt' | 'at'>): number | undefined {
  return beganAt ?? at;
}

/** An evaluation as it is written. */
export interface KeptEvaluation {
  readonly evaluation: Evaluation;
  /** Labels under which it was counted, as JSON. */
  readonly labels: string;
  /** Wall-clock time in milliseconds. */
  readonly createdAt: number;
  /** See `basis-codec.ts`; undefined where it was stored before that was kept. */
  readonly basis: string | undefined;
  readonly seen: SeenConversation | undefined;
  /** See `sub-agents-codec.ts`; undefined where it was stored before that was kept. */
  readonly subAgents?: string | undefined;
}

/** Kept also for an evaluation that waits for verdicts. */
export const SAID_COLUMNS: readonly Column<Evaluation>[] = [
  { name: 'turn_id', type: 'plain', of: ({ turnId }) => turnId ?? '' },
  { name: 'suite', type: 'text', of: suiteKey },
  { name: 'suite_version', type: 'text', of: ({ suiteVersion }) => suiteVersion },
  { name: 'revision', type: 'int', of: ({ revision }) => revision },
  { name: 'score', type: 'int', of: ({ score }) => score },
  { name: 'outcome', type: 'smallint', of: ({ outcome }) => OUTCOMES.indexOf(outcome) },
  { name: 'because', type: 'plain', of: ({ because }) => because },
  { name: 'explanation', type: 'text', of: ({ explanation }) => explanation },
  { name: 'verdicts', type: 'plain', of: encodeVerdicts },
];

export const EVALUATION_COLUMNS: readonly Column<KeptEvaluation>[] = [
  ...SAID_COLUMNS.map(({ of, ...column }) => ({ ...column, of: (kept: KeptEvaluation) => of(kept.evaluation) })),
  { name: 'labels', type: 'plain', of: ({ labels }) => labels },
  { name: 'created_at', type: 'bigint', of: ({ createdAt }) => createdAt },
  { name: 'basis', type: 'plain', of: ({ basis }) => basis },
  { name: 'decided_share', type: 'int', of: ({ evaluation }) => evaluation.decidedShare },
  { name: 'about', type: 'smallint', of: ({ evaluation: { about } }) => about && ABOUTS.indexOf(about) },
  { name: 'ending', type: 'smallint', of: ({ evaluation: { ending } }) => ending && ENDINGS.indexOf(ending) },
  ...SEEN_KEYS.map((key): Column<KeptEvaluation> => ({ ...SEEN_COLUMNS[key], of: ({ seen }) => seen?.[key] })),
  { name: 'sub_agents', type: 'plain', of: ({ subAgents }) => subAgents },
];

/** Gives evaluations as they are written. They come in long rows with the same labels. */
export function keeping(): (
  evaluation: Evaluation,
  place: { readonly labels: object } & Partial<Pick<KeptEvaluation, 'seen' | 'subAgents'>>,
) => KeptEvaluation {
  let last: { readonly labels: object; readonly text: string } | undefined;
  return (evaluation, { labels, seen, subAgents }) => {
    if (last?.labels !== labels) last = { labels, text: JSON.stringify(labels) };
    return { evaluation, labels: last.text, createdAt: Date.now(), basis: encodeBasis(evaluation), seen, subAgents };
  };
}

/** Columns by which conversations are searched. Nobody looks for them by what a shadow says of them. */
export function failedCriteria({ shadow, verdicts }: Evaluation): readonly string[] {
  if (shadow) return [];
  return [...verdicts].flatMap(([criterion, { verdict }]) => (decisionOf(verdict) === 'fail' ? [criterion] : []));
}

/** As the rows are read. */
export interface EvaluationCells {
  readonly turn_id: string;
  readonly suite: string;
  readonly suite_version: string;
  readonly revision: number;
  readonly score: number | null;
  readonly outcome: number;
  readonly because: string | null;
  readonly explanation: string;
  readonly verdicts: string;
  /** Absent while an evaluation waits for verdicts. */
  readonly decided_share?: number | null;
  readonly about?: number | null;
  readonly ending?: number | null;
}

/** Columns that are read to show an evaluation. */
export const SHOWN_COLUMNS = [
  ...SAID_COLUMNS,
  ...EVALUATION_COLUMNS.filter(({ name }) => name === 'decided_share' || name === 'about' || name === 'ending'),
];

export function evaluationFrom(
  conversationId: ConversationId,
  cells: EvaluationCells,
  text: (stored: string) => string,
): Evaluation {
  const { turn_id, suite, suite_version, revision, score, outcome, because, explanation, verdicts } = cells;
  const { decided_share: share, about, ending } = cells;
  return {
    conversationId,
    // The cast is the brand: the store's writer wrote it.
    turnId: turn_id === '' ? undefined : (turn_id as TurnId),
    ...fromSuiteKey(text(suite)),
    suiteVersion: text(suite_version),
    scope: turn_id === '' ? 'conversation' : 'turn',
    revision,
    score: score ?? undefined,
    outcome: outcomeAt(outcome),
    decidedShare: share ?? undefined,
    about: ABOUTS[about ?? -1],
    ending: ENDINGS[ending ?? -1],
    because: because ?? undefined,
    explanation: text(explanation),
    ...decodeVerdicts(verdicts),
  };
}

/** Columns that a list shows. */
export type SummaryCells = Pick<
  EvaluationCells,
  'suite' | 'turn_id' | 'score' | 'outcome' | 'because' | 'explanation' | 'decided_share' | 'about'
>;

export function summaryFrom(
  { suite, turn_id, score, outcome, because, explanation, decided_share: share, about }: SummaryCells,
  text: (stored: string) => string,
): Pick<Evaluation, 'suite' | 'turnId' | 'score' | 'outcome' | 'because' | 'explanation' | 'decidedShare' | 'about'> {
  return {
    suite: fromSuiteKey(text(suite)).suite,
    // The cast is the brand: the store's writer wrote it.
    turnId: turn_id === '' ? undefined : (turn_id as TurnId),
    score: score ?? undefined,
    outcome: outcomeAt(outcome),
    decidedShare: share ?? undefined,
    about: ABOUTS[about ?? -1],
    because: because ?? undefined,
    explanation: text(explanation),
  };
}

/** From cells of `SEEN_COLUMNS` in their order, the first one at this index. */
export function seenFrom(cells: readonly unknown[], first = 0): SeenConversation {
  const seen: { -readonly [Key in keyof SeenConversation]?: number | undefined } = {};
  let place = first;
  for (const key of SEEN_KEYS) {
    const cell = cells[place];
    seen[key] = typeof cell === 'number' ? cell : undefined;
    place += 1;
  }
  // The cast holds because it has all keys.
  return seen as SeenConversation;
}

/** Condition on `evaluations e`: no later revision is there. */
export const IS_LAST = `NOT EXISTS (
  SELECT 1 FROM evaluations n
  WHERE n.conversation = e.conversation AND n.suite = e.suite AND n.turn_id = e.turn_id AND n.revision > e.revision)`;

/** Rows of shadows are marked by their name (suite-key.ts). */
export function isLive(table: string): string {
  return `substr(${table}.suite, 1, 7) <> 'shadow:'`;
}

export function outcomeAt(index: number): Outcome {
  const outcome = OUTCOMES[index];
  if (outcome === undefined) throw new Error(`store: ${index} is not the number of an outcome`);
  return outcome;
}
