/** A conversation with all that is known of it, as `assay explain` shows it, wherever it was read. */
import type { ConversationCost } from '../model/cost.ts';
import type { ShownFeedback } from '../api/feedback.ts';
import { counted } from '../model/counted.ts';
import { FEEDBACK_NAME } from '../model/feedback.ts';
import type { Evaluation } from '../model/evaluation.ts';
import type { NamedOutcome } from '../model/validity.ts';
import type { TraceSource } from '../normalize/normalize.ts';
import type { ConversationRow } from '../store/conversation-row.ts';
import { wordsOf } from '../model/suite-words.ts';
import { percent, safe } from './terminal.ts';

export interface ExplainedConversation {
  readonly conversation: ConversationFacts;
  /** All revisions. */
  readonly evaluations: readonly Evaluation[];
  /** Evaluations by suites in shadow, all revisions. */
  readonly inShadow: readonly Evaluation[];
  readonly outcomes: readonly Omit<NamedOutcome, 'conversationId'>[];
  readonly feedback: readonly ShownFeedback[];
  /** Cost by the prices of the service that was asked; undefined if a store was read. */
  readonly cost?: ConversationCost | undefined;
  /** Spans and log records, as far as they are kept. */
  readonly contents: readonly TraceSource[];
  /** Traces whose spans are damaged on disk. */
  readonly damagedTraces: number;
}

export type ConversationFacts = Pick<
  ConversationRow,
  | 'conversationId'
  | 'agent'
  | 'agentVersion'
  | 'environment'
  | 'turns'
  | 'revision'
  | 'cause'
  | 'dueCause'
  | 'unscoredBecause'
>;

/** The agent, its version, where it ran, and how many turns there were. */
export function factsText({ agent, agentVersion, environment, turns }: ConversationFacts): string {
  return `agent ${safe(agent)} ${safe(agentVersion)}, environment ${safe(environment)}; ${counted(turns, 'turn')}`;
}

/** The limit of what one evaluation can say; undefined for one about the task. */
export function limitText({ about }: Pick<Evaluation, 'about'>): string | undefined {
  return wordsOf(about).limit;
}

/** The share of the weight that one evaluation decided, or nothing if it is not known. */
export function weightText({ decidedShare }: Pick<Evaluation, 'decidedShare'>): string {
  return decidedShare === undefined ? '' : `, ${percent(decidedShare / 1_000_000)} of the weight decided`;
}

/** A sentence with the opinion of a user, and whether it counts. */
export function feedbackLine({ name, polarity, label, score, scale, comment, counts }: ShownFeedback): string {
  const of = scale === undefined ? '' : ` on a scale from ${scale[0]} to ${scale[1]}`;
  const given = [label === undefined ? [] : safe(label, 80), score === undefined ? [] : `${score}${of}`].flat();
  const opinion = given.length === 0 ? polarity : `${polarity} (${given.join(', ')})`;
  const asked = name === FEEDBACK_NAME ? '' : ` to ${safe(name, 80)}`;
  const said = comment === undefined ? '' : `: ${safe(comment, 300)}`;
  return `a user said${asked}: ${opinion}${counts ? '' : ', which a later one replaces'}${said}`;
}

const NAMED_MAX = 5;

/** The cost of its own tokens, with where it comes from. */
export function costLine({ usd, source, modelsWithoutPrice }: ConversationCost): string {
  const amount = usd === undefined ? '' : ` $${usd.toPrecision(3)}`;
  const named = modelsWithoutPrice
    .slice(0, NAMED_MAX)
    .map((model) => (model === '' ? 'a call without a model' : safe(model, 80)));
  const left = modelsWithoutPrice.length - named.length;
  const without = named.length === 0 ? '' : `; no price for ${named.join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
  return `cost${amount} (${source})${without}`;
}
