/** Prints how Assay understands some spans: each turn and, beside each field, the attributes that decided it. */
import { counted } from '../model/counted.ts';
import type { Conversation } from '../model/conversation.ts';
import type { Content, Step } from '../model/step.ts';
import { type SubAgent, subAgentsOf } from '../model/sub-agents.ts';
import type { ToolCall, Turn } from '../model/turn.ts';
import { adviceFor } from '../report/inspect/advice.ts';
import { fieldSources } from '../report/inspect/field-sources.ts';
import { dialectsIn, inWords } from '../report/inspect/inspection-json.ts';
import { printTable, type TableRow } from './print-table.ts';
import { safe, type Terminal } from './terminal.ts';

interface InspectionOptions {
  /** Also each step, with every field and the rule that decided it. */
  readonly why: boolean;
  readonly dialectOf: (rule: string) => string | undefined;
}

export function printInspection(
  terminal: Terminal,
  conversations: readonly Conversation[],
  options: InspectionOptions,
): void {
  for (const conversation of conversations) {
    printHead(terminal, conversation, options);
    for (const [index, turn] of conversation.turns.entries()) printTurn(terminal, turn, index + 1, options);
    printMissing(terminal, conversation);
    terminal.out('');
  }
}

function printHead(terminal: Terminal, conversation: Conversation, { dialectOf }: InspectionOptions): void {
  const { agent, turns, idSource } = conversation;
  const steps = turns.flatMap((turn) => turn.steps);
  const dialects = dialectsIn(steps, dialectOf);
  const scopes = new Set(steps.map(({ scopeName }) => scopeName));
  const { paint } = terminal;
  terminal.out(`${paint('bold', safe(conversation.id))}  ${paint('dim', `id from ${safe(idSource)}`)}`);
  terminal.out(`  agent         ${safe(agent.name ?? 'unknown')} ${safe(agent.version ?? '(no version)')}`);
  terminal.out(
    `  format        ${dialects.join(', ') || 'no known dialect'}; written by ${[...scopes].map((name) => safe(name, 80)).join(', ')}`,
  );
  const subAgents = subAgentsOf(conversation).map(subAgentText);
  if (subAgents.length > 0) terminal.out(`  sub-agents    ${subAgents.join(', ')}`);
  const instructions = steps.flatMap((step) => step.systemInstructions ?? []).at(-1);
  const shown = instructions === undefined ? '(not recorded)' : `"${safe(instructions, 200)}"`;
  terminal.out(`  instructions  ${shown}`);
}

function subAgentText({ name, modelCalls, toolCalls, errors }: SubAgent): string {
  const failed = errors === 0 ? '' : `, ${errors} failed`;
  return `${safe(name)} (${counted(modelCalls + toolCalls, 'step')}${failed})`;
}

function printTurn(terminal: Terminal, turn: Turn, number: number, options: InspectionOptions): void {
  const { paint } = terminal;
  const root = turn.steps.find(({ spanId }) => spanId === turn.rootSpanId);
  terminal.out(
    `\n  ${paint('bold', `turn ${number}`)}    trace ${turn.traceId}, ${counted(turn.steps.length, 'span')}`,
  );
  const line = (label: string, text: string, said?: string) =>
    terminal.out(`  ${label.padEnd(9)} ${text}${said === undefined ? '' : `  ${paint('dim', `← ${safe(said, 80)}`)}`}`);
  line('user', inQuotes(turn.userInput), root?.rules.get('input') ?? root?.rules.get('messagesIn'));
  for (const call of turn.toolCalls) line('tool', inOneLine(call));
  line('answer', inQuotes(turn.finalAnswer), root?.rules.get('output') ?? root?.rules.get('messagesOut'));
  const { usage } = turn;
  const tokens =
    usage === undefined
      ? 'tokens unknown'
      : `${usage.inputTokens} tokens in (${usage.cacheReadTokens} cached), ${usage.outputTokens} out (${usage.reasoningTokens} reasoning)`;
  line('used', `${counted(turn.llmCalls, 'model call')}, ${tokens}`);
  if (turn.error !== undefined) line('error', paint('red', safe(inWords(turn.error) ?? '')), turn.error.source);
  if (turn.flags.length > 0) line('flags', turn.flags.join(', '));
  if (turn.doubts.length > 0) line('doubts', paint('yellow', turn.doubts.join(', ')));
  if (options.why) for (const step of turn.steps) printStep(terminal, step, options);
}

function inQuotes(content: Content): string {
  switch (content.state) {
    case 'missing':
      return '(not there)';
    case 'redacted':
      return '(masked)';
    case 'truncated':
      return `"${safe(content.text, 200)}" (cut)`;
    case 'whole':
      return `"${safe(content.text, 200)}"`;
  }
}

function inOneLine({ name, args, result, error, answered }: ToolCall): string {
  const given = args.state === 'missing' ? '(arguments not there)' : `(${safe(args.text, 120)})`;
  const back =
    error === undefined
      ? result.state === 'missing'
        ? answered
          ? '(result not there)'
          : '(never answered)'
        : safe(result.text, 120)
      : `error: ${safe(inWords(error) ?? '', 120)}`;
  return `${safe(name, 60)}${given} → ${back}`;
}

/** Assay's reading on the left, the span's attribute on the right. */
function printStep(terminal: Terminal, step: Step, { dialectOf }: InspectionOptions): void {
  const { paint } = terminal;
  const dialects = dialectsIn([step], dialectOf).join(', ');
  terminal.out(
    `\n    ${paint('bold', `${step.kind} ${safe(step.name, 60)}`)}  span "${safe(step.spanName, 80)}" ${step.spanId}${dialects === '' ? '' : ` (${dialects})`}`,
  );
  const rows = fieldSources(step, dialectOf).flatMap(({ field, value, rule }): TableRow[] =>
    rule === undefined ? [] : [[field, { text: value, max: 70 }, { text: `← ${rule}`, style: 'dim', max: 102 }]],
  );
  const flags = step.flags.length === 0 ? [] : [['flags', step.flags.join(', ')]];
  printTable(terminal, [...rows, ...flags], { indent: 6, min: [20, 60] });
}

function printMissing(terminal: Terminal, conversation: Conversation): void {
  const advice = adviceFor(conversation);
  if (advice.length === 0) return;
  terminal.out(`\n  ${terminal.paint('yellow', 'missing')}`);
  for (const { what, remedy } of advice) {
    terminal.out(`    - ${safe(what, 300)}`);
    terminal.out(`      ${terminal.paint('dim', safe(remedy, 400))}`);
  }
}
