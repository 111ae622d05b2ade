/** Conversations in the store of which it is known what came of them, with what suites said of them last. */
import { isDecided } from '../model/decision.ts';
import type { Evaluation, Verdict } from '../model/evaluation.ts';
import type { NamedOutcome, OutcomeLabel } from '../model/validity.ts';
import type { ConversationReader } from '../store/conversation-reader.ts';
import { placeOf } from '../store/conversation-search.ts';
import type { OutcomeReader } from '../store/reading-store.ts';

interface PairsQuery {
  readonly label: string;
  /** When the conversation began, in milliseconds. */
  readonly since?: number | undefined;
  readonly agent?: string | undefined;
  readonly agentVersion?: string | undefined;
  /** All where none is named. */
  readonly suites?: readonly string[] | undefined;
  readonly onProgress?: (looked: number) => void;
}

export interface StoredPairs {
  readonly evaluations: readonly Evaluation[];
  readonly outcomes: ReadonlyMap<string, OutcomeLabel>;
  /** Outcomes of this name, and those of which the conversation is not there, is not asked for, or is not scored. */
  readonly kept: number;
  readonly notThere: number;
  readonly leftOut: number;
  readonly notScored: number;
}

export async function storedPairs(reader: ConversationReader & OutcomeReader, query: PairsQuery): Promise<StoredPairs> {
  const evaluations: Evaluation[] = [];
  const outcomes = new Map<string, OutcomeLabel>();
  const counts = { kept: 0, notThere: 0, leftOut: 0, notScored: 0 };
  for await (const page of reader.outcomesNamed(query.label)) {
    for (const outcome of page) {
      const found = await evaluationsOf(reader, outcome, query);
      counts.kept += 1;
      if (typeof found === 'string') counts[found] += 1;
      else {
        outcomes.set(outcome.conversationId, outcome);
        evaluations.push(...found);
      }
    }
    query.onProgress?.(counts.kept);
  }
  return { evaluations, outcomes, ...counts };
}

async function evaluationsOf(
  reader: ConversationReader,
  { conversationId }: NamedOutcome,
  { since, agent, agentVersion, suites }: PairsQuery,
): Promise<'notThere' | 'leftOut' | 'notScored' | readonly Evaluation[]> {
  const row = await reader.find(conversationId);
  if (row === undefined) return 'notThere';
  if (since !== undefined && placeOf(row).at < since) return 'leftOut';
  if (agent !== undefined && row.agent !== agent) return 'leftOut';
  if (agentVersion !== undefined && row.agentVersion !== agentVersion) return 'leftOut';
  const all = await reader.evaluations(row, { revisions: 'last' });
  const wanted = all.filter(({ suite, waitsFor }) => waitsFor === undefined && (suites?.includes(suite) ?? true));
  return wanted.length === 0 ? 'notScored' : wanted.map(withoutReasons);
}

/** With many conversations, texts would take most of the memory. */
function withoutReasons(evaluation: Evaluation): Evaluation {
  const verdicts = [...evaluation.verdicts].map(([name, verdict]): [string, Verdict] => [name, bare(verdict)]);
  return { ...evaluation, explanation: '', verdicts: new Map(verdicts) };
}

function bare(given: Verdict): Verdict {
  if (!isDecided(given)) return { ...given, reason: '' };
  const { verdict, judgedBy } = given;
  return { verdict, reason: '', evidence: [], ...(judgedBy === undefined ? {} : { judgedBy }) };
}
