/** `assay detect`: has an agent got worse? Asks the service that is running, for a person. */
import type { Command } from 'commander';
import { z } from 'zod';
import { counted } from '../../model/counted.ts';
import { DETECTOR_METRICS } from '../../model/detection.ts';
import { learningText } from '../../model/history-learning.ts';
import { causeText, detectionRecordSchema, noneText } from '../../report/webhooks/detection-record.ts';
import { inPoints, type ShownPart, shownParts } from '../../report/documents/shown-parts.ts';
import { refuseReplayFlags, replay, type ReplayFlags } from '../replay.ts';
import { ask, askedPort, reading, type ServiceFlags, serviceOf, tokenOption, writing } from '../running-service.ts';
import { settingOption } from '../setting-option.ts';
import { visibleJson } from '../../model/visible-text.ts';
import { safe, type Terminal } from '../terminal.ts';
import { outcomeText } from '../../model/outcome-text.ts';

const { causes, parts, segment_parts, where, worst_conversations } = detectionRecordSchema.shape;
const number = z.number().nullable();
const levelNamed = z.object({
  suite: z.string(),
  agent: z.string(),
  environment: z.string(),
  metric: z.string(),
  criterion: z.string().optional(),
  segment: z.string().optional(),
  state: z.string(),
  baseline: number,
  observed: number,
});
/** Services of earlier versions leave some of it out. */
const levelSchema = levelNamed.extend({
  causes: causes.default([]),
  since: z.string().nullable(),
  change_ratio: number,
  change_lower_ratio: number,
  change_upper_ratio: number,
  parts,
  segment_parts: segment_parts.default([]),
  counted_baseline: number.default(null),
  counted_observed: number.default(null),
});
const problemSchema = levelSchema.extend({ where, worst_conversations });
const answerSchema = z.discriminatedUnion('owner', [
  z.object({ owner: z.literal(false), active: z.boolean() }),
  z.object({
    owner: z.literal(true),
    observed: z.number(),
    problems: z.array(problemSchema),
    levels: z.array(levelSchema),
    transitions: z.array(z.object({ at: z.string(), summary: z.string(), to: z.string().optional() })),
    learning: z.array(z.object({ suite: z.string(), stage: z.string(), done: z.number(), of: z.number() })).default([]),
  }),
]);

type Answer = Extract<z.infer<typeof answerSchema>, { owner: true }>;
type Problem = Answer['problems'][number];

const acceptedSchema = z.object({
  accepted: z.array(levelNamed).default([]),
  others: z.array(levelNamed).default([]),
});

const SHOWN = 5;
const CAUSES_SHOWN = 3;

export function addDetect(program: Command, terminal: Terminal): void {
  const detect = program
    .command('detect')
    .description(
      'report the open alarms: what has fallen or risen, by how much, since when, why, and in which conversations',
    )
    .option('--url <url>', 'the service to ask (default: that of the configuration, on this machine)')
    .option('--json', 'print the response of the service')
    .addOption(settingOption('config'))
    .addOption(tokenOption())
    .addOption(askedPort())
    .option('--replay', "run detection over the store's history instead, and show which alarms there would have been")
    .addOption(settingOption('data_dir'))
    .option('--since <time>', 'replay: only conversations that began since then, a duration such as 30d or a time')
    .option('--only-suite <name>', 'replay: this suite only')
    .option('--only-agent <name>', 'replay: this agent only')
    .option('--incidents <file>', 'replay: known incidents, a YAML or JSON list of {name, from, to, agent?}')
    .option('--false-alarms <number>', 'replay: instead of detection.false_alarms_per_month')
    .option('--learn-history <time>', 'replay: instead of detection.learn_history')
    .action(async (flags: ServiceFlags & ReplayFlags) => {
      if (flags.replay === true) return replay(terminal, flags);
      refuseReplayFlags(flags);
      const { url, token } = serviceOf(flags);
      const said = await ask(new URL('/api/detection', url), reading(token));
      if (flags.json === true) terminal.out(visibleJson(said));
      else print(terminal, answerSchema.parse(said));
    });
  detect
    .command('accept')
    .description('mark a change as intended: the level since then becomes the new baseline')
    .configureHelp({ showGlobalOptions: true })
    .requiredOption('--agent <name>', 'the agent')
    .requiredOption('--suite <name>', 'the suite that monitors it')
    .option('--environment <name>', 'only this environment')
    .option('--metric <metric>', `this metric only: ${DETECTOR_METRICS.join(', ')}`)
    .option('--criterion <name>', 'this criterion only')
    .option('--segment <segment>', 'this part of the traffic only, such as "tool: search"')
    .action(async (_flags: unknown, command: Command) => {
      const flags: ServiceFlags & ChosenFlags = command.optsWithGlobals();
      await accept(terminal, flags);
    });
}

interface ChosenFlags {
  readonly agent: string;
  readonly suite: string;
  readonly environment?: string;
  readonly metric?: string;
  readonly criterion?: string;
  readonly segment?: string;
}

async function accept(terminal: Terminal, flags: ServiceFlags & ChosenFlags): Promise<void> {
  const { url, writeToken } = serviceOf(flags);
  const { agent, suite, environment, metric, criterion, segment } = flags;
  const chosen = { agent, suite, environment, metric, criterion, segment };
  const said = await ask(new URL('/api/v1/detection/accept', url), {
    ...writing('POST', chosen, writeToken),
    more: othersIn,
  });
  if (flags.json === true) {
    terminal.out(visibleJson(said));
    return;
  }
  for (const level of acceptedSchema.parse(said).accepted) {
    const what = levelName(level);
    const figures =
      level.baseline === null || level.observed === null
        ? ''
        : `: ${figure(level.observed)} instead of ${figure(level.baseline)}`;
    terminal.out(
      `accepted  ${what}  ${safe(level.agent)} in ${safe(level.environment)}, suite ${safe(level.suite)}${figures}`,
    );
  }
}

/** Levels that are not regressed. */
function othersIn(refusal: unknown): readonly string[] {
  const others = acceptedSchema.safeParse(refusal).data?.others ?? [];
  return others.map(({ metric, criterion, segment, state }) => `${criterion ?? segment ?? metric}: ${state}`);
}

function print(terminal: Terminal, answer: z.infer<typeof answerSchema>): void {
  if (!answer.owner) {
    terminal.out(
      answer.active
        ? 'This instance has not looked yet, or another one does (the one that shows assay_detector_state): ask it with --url.'
        : 'Regression detection is switched off (detection.active).',
    );
    return;
  }
  if (answer.problems.length === 0) printNoProblem(terminal, answer);
  for (const problem of answer.problems) printProblem(terminal, problem);
  const states = Map.groupBy(answer.levels, ({ state }) => state);
  const counts = [...states].map(([state, levels]) => `${levels.length} ${state.replace('_', ' ')}`).join(', ');
  terminal.out(
    `\n${counted(answer.observed, 'evaluation')} observed; detectors: ${counts === '' ? 'none yet' : counts}`,
  );
  for (const { suite, stage, done, of } of answer.learning)
    terminal.out(learningText({ suite: safe(suite), stage, done, of }));
  // Each detector learns first, which is no news.
  const news = answer.transitions.filter(({ to }) => to !== 'learning');
  if (news.length === 0) return;
  terminal.out('\nLast changes');
  for (const { at, summary } of news.slice(0, 2 * SHOWN)) terminal.out(`  ${at}  ${safe(summary, 200)}`);
}

/** Detectors in these states compare what comes in with what is usual. */
const WATCHING: ReadonlySet<string> = new Set(['ok', 'recovered']);

/** "Nothing" takes detectors that could have seen something. */
function printNoProblem({ out, paint }: Terminal, { levels }: Answer): void {
  const watching = levels.filter(({ state }) => WATCHING.has(state)).length;
  if (watching === 0) {
    out(paint('yellow', 'Too early to tell: no detector knows yet what is usual.'));
    out(LEARNS);
    return;
  }
  out(paint('green', 'No alarm.'));
  if (watching === levels.length) return;
  out(`Too early to tell for ${levels.length - watching} of ${levels.length} detectors, which watch nothing yet.`);
  out(LEARNS);
}

const LEARNS =
  'A detector learns from detection.learn_conversations conversations over detection.learn_history (50 over 7d unless set).';

function printProblem(terminal: Terminal, problem: Problem): void {
  const { paint } = terminal;
  const what = levelName(problem);
  const whose = `${safe(problem.agent)} in ${safe(problem.environment)}, suite ${safe(problem.suite)}`;
  terminal.out(
    `${paint(problem.state === 'suspected' ? 'magenta' : 'red', problem.state.replace('_', ' ').padEnd(11))} ${paint('bold', what)}  ${whose}`,
  );
  const { baseline, observed, change_ratio: change, change_lower_ratio: lower, change_upper_ratio: upper } = problem;
  if (baseline !== null && observed !== null && change !== null)
    terminal.out(
      `    ${figure(baseline)} expected${problem.parts.length === 0 ? '' : ' of what is asked now'}, ${figure(observed)} observed: ${percent(change)} (${percent(lower ?? change)} to ${percent(upper ?? change)})`,
    );
  if (problem.since !== null) terminal.out(`    since about ${problem.since}`);
  for (const cause of problem.causes.slice(0, CAUSES_SHOWN)) terminal.out(`    ${safe(causeText(cause), 300)}`);
  const none = noneText(problem.causes);
  if (none !== '') terminal.out(`    ${none.replace('; ', '')}`);
  printParts(terminal, problem);
  for (const { agent_version, segment, conversations, failed } of problem.where.slice(0, SHOWN))
    terminal.out(
      `    version ${safe(agent_version)}${segment === undefined ? '' : `, segment ${safe(segment)}`}: ${failed} of the latest ${conversations} without a good outcome`,
    );
  for (const one of problem.worst_conversations.slice(0, SHOWN))
    terminal.out(`    look at  npx assay explain ${safe(one.conversation_id)}  (${safe(outcomeText(one))})`);
}

function levelName({ metric, criterion, segment }: Pick<Problem, 'metric' | 'criterion' | 'segment'>): string {
  const of = criterion ?? segment;
  return of === undefined ? metric : `${metric} ${safe(of)}`;
}

/** The change as it was counted, and what it is made of. */
function printParts(terminal: Terminal, problem: Problem): void {
  const { parts, segment_parts: segments, counted_baseline: before, counted_observed: after } = problem;
  if (parts.length === 0) return;
  const { tenths, parts: rows } = shownParts(parts, SHOWN);
  const counted = before === null || after === null ? '' : `, from ${figure(before)} to ${figure(after)}`;
  terminal.out(`    Mean score as counted, whatever was asked${counted}: ${inPoints(tenths)}, of which`);
  const print = (row: ShownPart) => terminal.out(`      ${inPoints(row.tenths).padStart(13)}  ${nameOf(row)}`);
  rows.forEach(print);
  if (segments.length === 0) return;
  terminal.out('    the same by segment');
  const named = segments.map(({ part, segment, points }) => ({ part, points, criterion: segment }));
  shownParts(named, SHOWN).parts.forEach(print);
}

function nameOf({ part, criterion }: ShownPart): string {
  switch (part) {
    case 'mix':
      return 'another mix of what is asked, which is not held against the agent';
    case 'others':
      return 'all others together';
    case 'criterion':
      return safe(criterion);
  }
}

function figure(value: number): string {
  return Number(value.toPrecision(3)).toString();
}

function percent(ratio: number): string {
  return `${ratio >= 0 ? '+' : ''}${(ratio * 100).toFixed(1)} %`;
}
