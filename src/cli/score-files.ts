/** Recorded files, scored as their flags say: what `assay score` prints, and `assay validity` holds against outcomes. */
import type { Command } from 'commander';
import { goldenIdsOf } from '../engine/suite-outline.ts';
import { unusedTraces } from '../model/compared-traces.ts';
import { counted } from '../model/counted.ts';
import type { WrittenReading } from '../model/readings.ts';
import { readRecordings } from '../offline/recording.ts';
import { scoreRecorded } from '../offline/score-recording.ts';
import { chosenKey } from '../score/certificates.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';
import { criteriaNotAsked, judgeProgress, startJudges } from './judges-offline.ts';
import { load } from './load.ts';
import { settingOption } from './setting-option.ts';
import { safe, type Terminal } from './terminal.ts';

export interface ScoringFlags {
  readonly suite?: readonly string[];
  readonly config?: string;
  readonly dataDir?: string;
  readonly judges?: boolean;
}

export type ScoredFiles = Awaited<ReturnType<typeof scoreRecorded>> & { readonly seconds: number };

export function addScoringOptions(command: Command, files: '<files...>' | '[files...]' = '<files...>'): Command {
  return command
    .argument(files, 'files to read together, as one recording; - is standard input')
    .option('--suite <file or name...>', 'suites to score with, instead of the configured ones')
    .addOption(settingOption('config'))
    .addOption(settingOption('data_dir'))
    .option(
      '--judges',
      'ask the configured judges, within their budget, unless an answer is stored; without it, judged criteria are skipped',
    );
}

export async function scoreFiles(
  files: readonly string[],
  flags: ScoringFlags,
  terminal: Terminal,
  readings?: readonly WrittenReading[],
): Promise<ScoredFiles> {
  const secrets = flags.judges === true ? 'all' : "the store's";
  const location = { config: flags.config, dataDir: flags.dataDir };
  const { settings, suites } = await load(location, { suites: flags.suite ?? [], byName: true, secrets });
  const startedAt = performance.now();
  const judges = flags.judges === true ? await startJudges(settings, terminal) : undefined;
  const judging = judges && judgeProgress(judges, terminal);
  const result = await scoreRecorded({
    batches: readRecordings(files),
    suites,
    settings,
    judges,
    readings,
    onProgress: ({ records, turns }) => terminal.progress(`${records} records read, ${turns} turns scored`),
  }).finally(() => judges?.close());
  terminal.progressDone();
  judging?.end();
  if (result.records === 0 && result.rejected === 0)
    throw new CommandFailure(`${files.join(', ')}: nothing is in it to score`, EXIT.input);
  for (const { name, certificates } of suites) {
    const chosen = (readings ?? []).filter(
      (one) => certificates?.chosenBy.has(chosenKey(one.conversation_id)) === true,
    );
    if (chosen.length > 0)
      terminal.err(
        `warning: ${name} was learned from ${chosen.length} of these readings, so the estimate of what suites miss is too low: read others`,
      );
  }
  const skipped = criteriaNotAsked(result.evaluations);
  if (skipped > 0)
    terminal.err(`${skipped} judged criteria were skipped: --judges asks the judges, which may cost money`);
  const [unreadable] = result.unreadableTruths;
  if (unreadable !== undefined) {
    const { conversation, problem, expected } = unreadable;
    const many = counted(result.unreadableTruths.length, 'conversation');
    terminal.err(
      `warning: task-success cannot read the truth of ${many}, such as ${safe(conversation, 80)}: ${safe(problem)}: expected ${expected}`,
    );
  }
  const traces = suites.map((suite) => ({ name: suite.name, golden: goldenIdsOf(suite) }));
  for (const warning of unusedTraces(traces, result.evaluations, 'conversation'))
    terminal.err(`warning: ${safe(warning, 600)}`);
  const [weak] = result.weakTruths;
  if (weak !== undefined) {
    const many = counted(result.weakTruths.length, 'conversation');
    terminal.err(
      `warning: the truth of ${many} cannot show a success, such as ${safe(weak.conversation, 80)}: ${safe(weak.because, 400)}`,
    );
  }
  return { ...result, seconds: (performance.now() - startedAt) / 1000 };
}
