/** `assay explain`: why a conversation got the score it got, or why it got none. */
import type { Command } from 'commander';
import { buildConversation } from '../../assemble/build-conversation.ts';
import { costOfTurns, type ModelPrices, PriceTable } from '../../model/cost.ts';
import type { Evaluation } from '../../model/evaluation.ts';
import type { SpanId } from '../../model/ids.ts';
import type { Step } from '../../model/step.ts';
import type { Turn } from '../../model/turn.ts';
import { subAgentsBySpan } from '../../model/sub-agents.ts';
import { type IdKeys, idKeysOf } from '../../normalize/id-keys.ts';
import { byRevision } from '../../report/documents/revisions.ts';
import { outcomesJson, shadowsJson, toReportJson } from '../../report/documents/report-json.ts';
import { transcriptOf } from '../../report/documents/transcript.ts';
import type { CompiledSuite } from '../../score/suite/suite.ts';
import { conversationOfService } from '../conversation-of-service.ts';
import { conversationFromStore } from '../conversation-of-store.ts';
import {
  costLine,
  type ConversationFacts,
  type ExplainedConversation,
  factsText,
  feedbackLine,
  limitText,
  weightText,
} from '../explained-conversation.ts';
import { isThere } from '../running-service.ts';
import { addServiceOrStore, serviceOrStore, type ServiceOrStoreFlags } from '../service-or-store.ts';
import { printTurn as printTurnSteps } from '../print-transcript.ts';
import { headRow, printTable } from '../print-table.ts';
import { safe, type Terminal } from '../terminal.ts';
import { verdictRows } from '../verdict-rows.ts';
import { dueText, whenEvaluated } from '../when-evaluated.ts';
import { turnsOfTrace } from '../../engine/turns-of-trace.ts';
import { outcomeText } from '../../model/outcome-text.ts';

export function addExplain(program: Command, terminal: Terminal): void {
  const command = program
    .command('explain')
    .description('explain the score of a conversation: every criterion, its reason, and the step that shows it')
    .argument('<conversation>', 'conversation id, or `trace:<trace id>` if the agent sets none')
    .option('--why', 'also show which rule decided each field of each step')
    .option('--json', 'print the evaluations as JSON, all revisions');
  addServiceOrStore(command).action(async (id: string, flags: ExplainFlags) => {
    const { loaded, service } = await serviceOrStore(flags);
    const { settings, suites } = loaded;
    const isAsked = flags.url !== undefined || (flags.dataDir === undefined && (await isThere(service.url)));
    const found = isAsked ? await conversationOfService(id, service) : await conversationFromStore(id, settings);
    if (flags.json === true) {
      const { evaluations, inShadow, outcomes } = found;
      terminal.json({ ...toReportJson(evaluations), ...shadowsJson(inShadow), ...outcomesJson(outcomes) });
      return;
    }
    explain(terminal, found, {
      // The suites of a service that is named need not be those of this configuration.
      suites: flags.url === undefined ? suites : [],
      why: flags.why === true,
      idleMs: flags.url === undefined ? settings.conversation.idleMs : undefined,
      idKeys: idKeysOf(settings.conversation.idKeys),
      prices: settings.prices,
    });
  });
}

interface ExplainFlags extends ServiceOrStoreFlags {
  readonly json?: boolean;
  readonly why?: boolean;
}

function explain(
  terminal: Terminal,
  { conversation, contents, damagedTraces, outcomes, feedback, cost, ...said }: ExplainedConversation,
  options: {
    readonly suites: readonly CompiledSuite[];
    readonly why: boolean;
    readonly idKeys: IdKeys | undefined;
    readonly idleMs: number | undefined;
    readonly prices: readonly ModelPrices[];
  },
): void {
  const turns = contents.flatMap((content) => turnsOfTrace(content, options.idKeys));
  const ordered = turns.length === 0 ? [] : buildConversation(conversation.conversationId, turns).turns;
  const steps = new Map(
    ordered.flatMap((turn, index) => turn.steps.map((step) => [step.spanId, { step, turn: index + 1 }] as const)),
  );
  const own = { name: conversation.agent, id: undefined, version: undefined };
  const subAgents = subAgentsBySpan({ agent: own, turns: ordered });
  const revisions = byRevision(said.evaluations);
  const inShadow = byRevision(said.inShadow);

  const { paint } = terminal;
  terminal.out(paint('bold', safe(conversation.conversationId)));
  terminal.out(`  ${factsText(conversation)}`);
  terminal.out(`  ${whenEvaluated(conversation, options.idleMs)}`);
  if (ordered.length > 0) terminal.out(`  ${costLine(cost ?? costOfTurns(ordered, new PriceTable(options.prices)))}`);
  if (damagedTraces > 0)
    terminal.out(
      paint('red', `  the spans of ${damagedTraces} of its traces are damaged on disk: their steps are missing here`),
    );
  for (const { label, isGood, value } of outcomes) {
    const said = value === undefined ? '' : ` ${safe(value, 80)}`;
    terminal.out(`  came of it: ${safe(label, 80)}${said} (${isGood ? 'good' : 'bad'})`);
  }
  for (const one of feedback) terminal.out(`  ${feedbackLine(one)}`);
  for (const [index, turn] of ordered.entries()) printTurn(terminal, turn, index + 1, options);
  for (const [first, ...others] of [...revisions, ...inShadow]) {
    const last = others.at(-1) ?? first;
    const turnNumber = ordered.findIndex(({ id }) => id === last.turnId) + 1;
    printEvaluation(terminal, last, turnNumber, (spanId) => {
      const found = steps.get(spanId);
      if (found === undefined) return `span ${spanId}`;
      const by = subAgents.get(spanId);
      const who = by === undefined ? '' : ` by ${safe(by)}`;
      return `turn ${found.turn}, ${describeStep(found.step)}${who} (span ${spanId})`;
    });
    for (const line of earlierRevisions([first, ...others])) terminal.out(`    ${paint('dim', line)}`);
  }
  const scored = new Set(revisions.map(([{ suite }]) => suite));
  for (const reason of unscoredBecause(conversation, ordered, scored, options))
    terminal.out(`\n  ${paint('dim', reason)}`);
}

/** A sentence for each configured suite that gave this conversation no score. */
function unscoredBecause(
  conversation: ConversationFacts,
  turns: readonly Turn[],
  scored: ReadonlySet<string>,
  { suites, idleMs }: { readonly suites: readonly CompiledSuite[]; readonly idleMs: number | undefined },
): string[] {
  const whole = turns.length === 0 ? undefined : buildConversation(conversation.conversationId, turns);
  return suites
    .filter(({ name }) => !scored.has(name))
    .map((suite) => {
      if (whole === undefined)
        return `not scored by ${suite.name}: its spans have been deleted by retention; raise store.keep to keep spans longer`;
      const whyNot = suite.whyNot(whole);
      if (whyNot !== undefined) return `not scored by ${suite.name}: ${safe(whyNot)}`;
      return conversation.revision === 0
        ? `not yet scored by ${suite.name}: the conversation will be scored ${dueText(conversation.dueCause ?? 'idle', idleMs)}`
        : `not scored by ${suite.name}: it was not among the suites when the conversation was scored`;
    });
}

function printTurn(terminal: Terminal, turn: Turn, number: number, options: { readonly why: boolean }): void {
  const { paint } = terminal;
  terminal.out(`\n  ${paint('bold', `turn ${number}`)}  trace ${turn.traceId}`);
  for (const told of transcriptOf({ turns: [turn] })) printTurnSteps(terminal, told, { indent: '    ' });
  if (turn.flags.length > 0) terminal.out(`    flags   ${turn.flags.join(', ')}`);
  if (!options.why) return;
  for (const step of turn.steps) {
    terminal.out(`    ${describeStep(step)} (span ${step.spanId})`);
    const rows = [...step.rules].map(([field, rule]) => headRow(field, safe(rule, 120)));
    printTable(terminal, rows, { indent: 6, min: [18] });
  }
}

function printEvaluation(
  terminal: Terminal,
  evaluation: Evaluation,
  turn: number,
  where: (spanId: SpanId) => string,
): void {
  const { paint } = terminal;
  const target = evaluation.turnId === undefined ? 'the conversation' : `turn ${turn}`;
  terminal.out(
    `\n  ${paint('bold', `${evaluation.suite}@${evaluation.suiteVersion}`)}${evaluation.shadow ? ' in shadow' : ''} on ${target}: ${scoreOf(evaluation)} ${safe(outcomeText(evaluation))}${weightText(evaluation)}`,
  );
  terminal.out(`    ${safe(evaluation.explanation, 600)}`);
  const limit = limitText(evaluation);
  if (limit !== undefined) terminal.out(`    ${paint('dim', limit)}`);
  if (evaluation.waitsFor !== undefined)
    terminal.out(
      `    ${paint('dim', `so far: it waits for a judge's verdict on ${evaluation.waitsFor.join(', ')}, and is not counted yet`)}`,
    );
  printTable(terminal, verdictRows(evaluation, where), { min: [14, 28] });
}

/** Earlier revisions, the newest first, and the verdicts that the next one changed. */
function earlierRevisions(revisions: readonly Evaluation[]): readonly string[] {
  const lines: string[] = [];
  for (let at = revisions.length - 2; at >= 0; at -= 1) {
    const [before, after] = [revisions[at], revisions[at + 1]];
    if (before === undefined || after === undefined) continue;
    lines.push(
      `before, revision ${before.revision}: ${scoreOf(before)} ${safe(outcomeText(before))}; ${changesTo(before, after)}`,
    );
  }
  return lines;
}

function changesTo(before: Evaluation, after: Evaluation): string {
  const names = new Set([...before.verdicts.keys(), ...after.verdicts.keys()]);
  const changes = [...names].flatMap((name) => {
    const was = before.verdicts.get(name)?.verdict ?? 'not asked';
    const is = after.verdicts.get(name)?.verdict ?? 'not asked';
    return was === is ? [] : [`${safe(name)} was ${was}`];
  });
  if (before.suiteVersion !== after.suiteVersion) changes.unshift(`version ${safe(before.suiteVersion)} of the suite`);
  return changes.length === 0 ? 'every verdict was the same' : changes.join(', ');
}

function scoreOf({ score }: Evaluation): string {
  return score === undefined ? '–' : (score / 1_000_000).toFixed(2);
}

function describeStep(step: Step): string {
  return `${step.kind} ${safe(step.name, 80)}`;
}
