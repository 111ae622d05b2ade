/** `assay experiments import`: recorded conversations become the runs of an experiment. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import type { Dataset } from '../../model/dataset.ts';
import type { Experiment } from '../../model/experiment.ts';
import { SCENARIO_ATTRIBUTE } from '../../model/marks.ts';
import {
  fingerprintOf,
  readDataset,
  taskTruthMistakes,
  weakTruthsRemark,
} from '../../offline/datasets/read-dataset.ts';
import type { RecordedBatch } from '../../engine/recorded/recorded-batch.ts';
import { readRecording } from '../../offline/recording.ts';
import { experimentSuite } from '../../offline/run/experiment-suite.ts';
import { type RecordedRuns, recordedRuns } from '../../offline/run/recorded-runs.ts';
import { createExperiment, type ExperimentFolder } from '../../store/experiment/experiment-folder.ts';
import { newExperimentId } from '../../store/experiment/experiment-id.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { judgeProgress, startJudges } from '../judges-offline.ts';
import { failOn, type Loaded, load } from '../load.ts';
import { settingOption } from '../setting-option.ts';
import { safe, type Terminal } from '../terminal.ts';
import { version } from '../version.ts';

interface ImportFlags {
  readonly case: string;
  readonly name?: string;
  readonly dataset?: string;
  readonly suite?: readonly string[];
  readonly judges?: boolean;
  readonly experiments?: string;
  readonly config?: string;
  readonly json?: boolean;
}

const NAMED_MAX = 5;
const ATTRIBUTES_MAX = 20;

/** `show` prints what an experiment says. */
export function addImport(
  experiments: Command,
  terminal: Terminal,
  show: (folder: string, options: { readonly json: boolean }) => void,
): void {
  experiments
    .command('import')
    .description('import recorded conversations as the runs of an experiment; several of one case become its repeats')
    .argument('<files...>', 'spans as `assay score` reads them, or JSON lines of {messages}; - is standard input')
    .option('--case <attribute>', 'the attribute that names the case of a conversation', SCENARIO_ATTRIBUTE)
    .option('--name <text>', "name of the experiment (default: the first file's name)")
    .option(
      '--dataset <file>',
      'the cases: truth comes from it, and the experiment can be compared with those of `assay run`',
    )
    .option('--suite <file or name...>', 'suites to score with, instead of the configured ones')
    .option('--judges', 'ask the configured judges, within their budget; without it, judged criteria are skipped')
    .option('--json', 'print the experiment as JSON')
    .addOption(settingOption('experiments'))
    .addOption(settingOption('config'))
    .action(async (files: readonly string[], _: unknown, command: Command) => {
      // Options that `assay experiments` shares are parsed by it, wherever they stand. The cast is what the options
      // above give.
      const flags = command.optsWithGlobals() as ImportFlags;
      const secrets = flags.judges === true ? 'all' : "the store's";
      const loaded = await load(
        { config: flags.config, experiments: flags.experiments },
        { suites: flags.suite ?? [], byName: true, secrets },
      );
      const dataset = flags.dataset === undefined ? undefined : datasetIn(flags.dataset);
      if (dataset !== undefined) failOn(taskTruthMistakes(dataset, loaded.suites));
      const remark = dataset && weakTruthsRemark(dataset, loaded.suites);
      if (remark !== undefined) terminal.err(`warning: ${safe(remark, 600)}`);
      const judges = flags.judges === true ? await startJudges(loaded.settings, terminal) : undefined;
      const judging = judges && judgeProgress(judges, terminal);
      const recorded = await recordedRuns({
        batches: readAll(files, terminal),
        suites: loaded.suites,
        settings: loaded.settings,
        caseBy: flags.case,
        dataset,
        judges,
      }).finally(() => judges?.close());
      terminal.progressDone();
      judging?.end();
      sayLeftOut(recorded, { by: flags.case, dataset, terminal });
      const folder = keep(recorded, experimentOf(recorded, { files, flags, loaded, dataset }), loaded);
      show(folder, { json: flags.json === true });
    });
}

async function* readAll(files: readonly string[], terminal: Terminal): AsyncGenerator<RecordedBatch> {
  let records = 0;
  for (const file of files) {
    for await (const batch of readRecording(file)) {
      records += batch.rows;
      terminal.progress(`${records} records read`);
      yield batch;
    }
  }
}

function datasetIn(file: string): Dataset {
  const { dataset, mistakes } = readDataset(file);
  failOn(mistakes);
  if (dataset === undefined)
    throw new CommandFailure(`${file}: not a dataset; docs/score/datasets.md has the format`, EXIT.input);
  return dataset;
}

function sayLeftOut(
  { runs, leftOut, attributes }: RecordedRuns,
  {
    by,
    dataset,
    terminal,
  }: { readonly by: string; readonly dataset: Dataset | undefined; readonly terminal: Terminal },
): void {
  if (leftOut.length === 0 && runs.length > 0) return;
  const all = leftOut.length + runs.length;
  if (all === 0)
    throw new CommandFailure(
      'the recording holds no agent spans; `assay inspect` on it shows what it holds',
      EXIT.input,
    );
  const whose =
    dataset === undefined ? `have no attribute ${safe(by, 80)}` : `are of no case of ${safe(dataset.name, 80)}`;
  const named = leftOut.slice(0, NAMED_MAX).map((id) => safe(id, 80));
  const message = `${leftOut.length} of ${all} conversations ${whose}: ${named.join(', ')}${leftOut.length > NAMED_MAX ? ', …' : ''}`;
  if (runs.length > 0) terminal.err(`${message}; they are left out`);
  else {
    const known = attributes.slice(0, ATTRIBUTES_MAX).map((name) => safe(name, 80));
    throw new CommandFailure(`${message}\n  --case takes one of ${known.join(', ')}`, EXIT.input);
  }
}

function experimentOf(
  { cases, runs, agentVersion }: RecordedRuns,
  {
    files,
    flags,
    loaded,
    dataset,
  }: {
    readonly files: readonly string[];
    readonly flags: ImportFlags;
    readonly loaded: Loaded;
    readonly dataset: Dataset | undefined;
  },
): Experiment {
  const startedAt = new Date();
  const name = flags.name ?? path.basename(files[0] ?? '-').replace(/\..*$/, '');
  return {
    id: newExperimentId(startedAt, randomBytes(3).toString('hex')),
    name,
    startedAt: startedAt.toISOString(),
    endedAt: undefined,
    dataset: {
      name: dataset?.name ?? `recorded, by ${flags.case}`,
      version: dataset?.version ?? '1',
      file: dataset?.file ?? files.join(', '),
      fingerprint: fingerprintOf(cases),
      cases: cases.length,
    },
    agent: { kind: 'recording', target: files.join(', '), version: agentVersion },
    git: undefined,
    suites: loaded.suites.map((suite) => experimentSuite(suite, loaded.suitesBaseDirectory)),
    repeats: Math.max(...runs.map(({ run }) => run.repeat)),
    seed: 0,
    assayVersion: version,
  };
}

function keep({ runs }: RecordedRuns, experiment: Experiment, { settings }: Loaded): string {
  const folder: ExperimentFolder = createExperiment(settings.experimentsDir, experiment);
  try {
    for (const { run, content } of runs) folder.append(run, content);
    folder.update({ endedAt: new Date().toISOString() });
  } catch (error) {
    rmSync(folder.folder, { recursive: true, force: true });
    throw error;
  } finally {
    folder.close();
  }
  return folder.folder;
}
