/** A conversation as a list shows it: from its row and its last evaluations, without its spans. */
import type { SuiteOutline } from '../../../engine/suite-outline.ts';
import { decisionOf } from '../../../model/decision.ts';
import type { ConversationItem, ConversationState, ListedEvaluation } from '../../../api/conversation-list.ts';
import type { ConversationRow } from '../../../store/conversation-row.ts';
import { placeOf } from '../../../store/conversation-search.ts';
import type { SeenConversation } from '../../../store/evaluation-columns.ts';
import type { ReadEvaluation } from '../../../store/read-evaluation.ts';
import { bySeverity, isScored } from '../../../model/severity.ts';
import { isoTime } from './iso-time.ts';
import { criterionIn, lostIn, shareOf, suiteOf } from './running-suites.ts';

const NANO = 1e9;
const LISTED_MAX = 50;

export function conversationItemOf(
  row: ConversationRow,
  evaluations: readonly ReadEvaluation[],
  suites: readonly SuiteOutline[],
): ConversationItem {
  const { ceasedAtMs, asked, answered, isClockWrong } = row.glance;
  const beganAtMs = placeOf(row).at;
  const effort = effortOf(row, evaluations);
  const shown = worstOf(evaluations);
  return {
    conversation_id: row.conversationId,
    agent: row.agent,
    agent_version: row.agentVersion,
    environment: row.environment,
    ...(row.segment === undefined ? {} : { segment: row.segment }),
    began_at: isoTime(beganAtMs),
    ...(isClockWrong === undefined ? {} : { clock_wrong: isClockWrong }),
    ...(ceasedAtMs === undefined ? {} : { ended_at: isoTime(ceasedAtMs) }),
    ...(ceasedAtMs === undefined ? {} : { duration_ms: Math.max(0, ceasedAtMs - beganAtMs) }),
    updated_at: isoTime(row.updatedAt),
    ...(asked === undefined ? {} : { asked }),
    ...(answered === undefined ? {} : { answered }),
    turns: row.turns,
    revision: row.revision,
    ...(effort?.tokens === undefined ? {} : { tokens: effort.tokens }),
    ...(effort?.costNanos === undefined ? {} : { cost_usd: effort.costNanos / NANO }),
    state: stateOf(row, evaluations),
    ...(row.unscoredBecause === undefined ? {} : { unscored_because: row.unscoredBecause }),
    ...(row.feedback === undefined ? {} : { feedback: row.feedback }),
    ...(row.cameOut === undefined ? {} : { came_out: row.cameOut }),
    ...(row.dueCause === undefined ? {} : { waiting_for: row.dueCause }),
    evaluations: shown.map(({ evaluation }) => listed(evaluation, suites)),
    ...(shown.length === evaluations.length ? {} : { evaluations_left_out: evaluations.length - shown.length }),
  };
}

/** A conversation of a thousand turns has as many evaluations, and a page has fifty conversations. */
function worstOf(evaluations: readonly ReadEvaluation[]): readonly ReadEvaluation[] {
  if (evaluations.length <= LISTED_MAX) return evaluations;
  const worst = evaluations
    .toSorted(({ evaluation: a }, { evaluation: b }) => bySeverity(b.outcome, a.outcome))
    .slice(0, LISTED_MAX);
  const kept = new Set(worst);
  return evaluations.filter((one) => kept.has(one));
}

/** The search for states in `conversation-search.ts` says the same. */
function stateOf({ dueAt }: ConversationRow, evaluations: readonly ReadEvaluation[]): ConversationState {
  if (dueAt !== undefined) return 'open';
  if (evaluations.some(({ madeAt }) => madeAt === undefined)) return 'waiting';
  return evaluations.some(({ evaluation }) => isScored(evaluation.outcome)) ? 'scored' : 'unscored';
}

function listed(evaluation: ReadEvaluation['evaluation'], suites: readonly SuiteOutline[]): ListedEvaluation {
  const suite = suiteOf(suites, evaluation);
  const lost = lostIn(suite, evaluation);
  const { turnId, score, ending, decidedShare, about, waitsFor } = evaluation;
  return {
    suite: evaluation.suite,
    ...(turnId === undefined ? {} : { turn_id: turnId }),
    score: score === undefined ? null : shareOf(score),
    outcome: evaluation.outcome,
    ...(evaluation.because === undefined ? {} : { because: evaluation.because }),
    ...(ending === undefined ? {} : { ending }),
    ...(decidedShare === undefined ? {} : { decided_share: shareOf(decidedShare) }),
    ...(about === undefined ? {} : { about }),
    explanation: evaluation.explanation,
    ...(waitsFor === undefined ? {} : { waits_for: waitsFor }),
    failing: [...evaluation.verdicts].flatMap(([criterion, { verdict, reason }]) => {
      if (decisionOf(verdict) !== 'fail') return [];
      const known = criterionIn(suite, criterion);
      return [
        {
          criterion,
          reason,
          ...(known === undefined ? {} : { lost: lost.get(criterion) ?? 0, critical: known.capsAt !== undefined }),
        },
      ];
    }),
  };
}

/** Effort of the conversation as a whole, or of all its turns where a suite has scored each of them. */
function effortOf(
  { turns }: ConversationRow,
  evaluations: readonly ReadEvaluation[],
): Pick<SeenConversation, 'tokens' | 'costNanos'> | undefined {
  const made = evaluations.filter(({ seen }) => seen !== undefined);
  const whole = made.find(({ evaluation }) => evaluation.turnId === undefined);
  if (whole !== undefined) return whole.seen;
  const ofSuite = [...Map.groupBy(made, ({ evaluation }) => evaluation.suite).values()];
  const each = ofSuite.find((ofTurns) => ofTurns.length === turns);
  if (each === undefined) return undefined;
  const sum = (of: 'tokens' | 'costNanos') =>
    each.reduce<number | undefined>((all, { seen }) => {
      const one = seen?.[of];
      return all === undefined || one === undefined ? undefined : all + one;
    }, 0);
  return { tokens: sum('tokens'), costNanos: sum('costNanos') };
}
