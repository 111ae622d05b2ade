/**
 * The steps of a turn that a reader wants between the question and the answer: what was called, looked up, handed over
 * and thought. Spans that only hold others together, and a model's call whose words are the answer, are left out.
 */
import type { ConversationDetail, TranscriptStepJson, TurnJson } from '../../api/conversation-detail.ts';
import type { StepKind } from '../../model/step.ts';
import { type StepRow, stepRows } from './step-rows.ts';
import { subAgentOf } from './sub-agent.ts';

export interface DoneRow extends StepRow {
  /** The sub-agent that did it; undefined for the conversation's own agent. */
  readonly by: string | undefined;
  /** Steps around it that hold it: a sub-agent's, a tool's. */
  readonly indent: number;
}

const ALWAYS: readonly StepKind[] = ['tool', 'retrieval', 'memory', 'guardrail', 'plan'];
/** Deeper ones are not indented further. */
const INDENT_MAX = 6;

interface DoneRows {
  readonly rows: readonly DoneRow[];
  /** Spans that were left out. */
  readonly others: number;
}

interface Wanted {
  /** No span is left out. */
  readonly isAll: boolean;
  /** A step that somebody asked for. */
  readonly chosen: string | undefined;
}

type Agents = Pick<ConversationDetail, 'agent' | 'sub_agents'>;

export function doneRows(turn: TurnJson, conversation: Agents, { isAll, chosen }: Wanted): DoneRows {
  const all = stepRows(turn);
  const rows: DoneRow[] = [];
  // Rows around the one at hand that indent it, outermost first.
  const around: { readonly depth: number }[] = [];
  for (const row of all) {
    while ((around.at(-1)?.depth ?? -1) >= row.depth) around.pop();
    const by = subAgentOf(row.step, conversation);
    const isShown = isAll || row.step.step_id === chosen || isOfInterest(row.step, by, turn.answered);
    if (!isShown) continue;
    rows.push({ ...row, by, indent: Math.min(around.length, INDENT_MAX) });
    if (isAll || row.step.kind === 'agent' || row.step.kind === 'tool') around.push(row);
  }
  return { rows, others: all.length - rows.length };
}

/** Its status says so, or its result: many tools give an error as a text. */
export function isFailed({ status, says_failed: says }: Pick<TranscriptStepJson, 'status' | 'says_failed'>): boolean {
  return status === 'error' || says === true;
}

function isOfInterest(step: TranscriptStepJson, by: string | undefined, answered: string): boolean {
  const { kind, status, output = '', thinking } = step;
  if (ALWAYS.includes(kind)) return true;
  if (kind === 'agent') return by !== undefined;
  if (kind !== 'llm') return false;
  return status === 'error' || thinking !== undefined || (output !== '' && !saysTheSame(output, answered));
}

/** One of the two may have been cut. */
function saysTheSame(output: string, answered: string): boolean {
  const length = Math.min(output.length, answered.length, 400);
  return length > 0 && output.slice(0, length) === answered.slice(0, length);
}
