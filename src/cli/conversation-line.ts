/** A conversation on one line: when, whose, how it came out, and the first criterion that failed. */
import type { ConversationItem, ListedEvaluation } from '../api/conversation-list.ts';
import { outcomeText } from '../model/outcome-text.ts';
import { isFailure, severityOf } from '../model/severity.ts';
import { worstOf } from '../model/worst-first.ts';
import { type Style, safe, type Terminal } from './terminal.ts';

/** Columns of an output that is no terminal. */
const WIDTH = 240;
const WIDTH_MIN = 40;
const NAME_MAX = 24;

/** The evaluation that stands for the conversation. */
export function shownEvaluation(item: ConversationItem, suite: string | undefined): ListedEvaluation | undefined {
  return worstOf(item.evaluations.filter((one) => suite === undefined || one.suite === suite));
}

export function conversationLine(
  terminal: Terminal,
  item: ConversationItem,
  { suite, width = WIDTH }: { readonly suite?: string | undefined; readonly width?: number | undefined } = {},
): string {
  const evaluation = shownEvaluation(item, suite);
  const [failed] = evaluation?.failing ?? [];
  const outcome = evaluation === undefined ? 'not scored' : outcomeText(evaluation).replaceAll('_', ' ');
  const score = typeof evaluation?.score === 'number' ? evaluation.score.toFixed(2) : '–';
  const id = safe(item.conversation_id, 80);
  const [at, agent, version] = [clock(item.updated_at), safe(item.agent, NAME_MAX), safe(item.agent_version, NAME_MAX)];
  const head = `${at}  ${agent} ${version}`;
  const known = `${head}  ${outcome}  ${score}  ${id}  `;
  const room = Math.max(0, Math.max(width, WIDTH_MIN) - known.length);
  const reason = failed === undefined || room === 0 ? '' : safe(`${failed.criterion}: ${failed.reason}`, room);
  const parts = [head, terminal.paint(styleOf(evaluation), outcome), score, reason, terminal.paint('dim', id)];
  return parts.filter((part) => part !== '').join('  ');
}

function styleOf(evaluation: ListedEvaluation | undefined): Style {
  if (evaluation === undefined || severityOf(evaluation.outcome) === undefined) return 'dim';
  return isFailure(evaluation.outcome) ? 'red' : evaluation.failing.length > 0 ? 'yellow' : 'green';
}

function clock(time: string): string {
  return new Date(time).toTimeString().slice(0, 8);
}
