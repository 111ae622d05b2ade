/**
 * `assay validate`: checks a configuration or suites and says everything that is wrong with them at once; and, beside what was scored with
 * them, which criteria tell nothing.
 */
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { isMap, parseDocument } from 'yaml';
import { isMissingSecret } from '../../config/secrets.ts';
import { loadSettings, type Settings } from '../../config/settings.ts';
import { readTruthFiles } from '../../engine/truth-files.ts';
import { suiteLoading } from '../../engine/suite-loading.ts';
import { suiteRemarks } from '../../offline/suite-remarks.ts';
import { sameVersions } from '../../score/suite/evaluator-version.ts';
import { loadSuites, SUITE_FILE_BYTES_MAX } from '../../score/load-suites.ts';
import { certificateWords } from '../../model/certificate.ts';
import type { CompiledSuite } from '../../score/suite/suite.ts';
import { errorMessage } from '../../model/error-message.ts';
import { unreadable } from '../../model/why-unreadable.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { BUILTIN_SUITES, failOn, load } from '../load.ts';
import { printReview } from '../print-review.ts';
import { projectStarts } from '../project-starts.ts';
import { settingOption } from '../setting-option.ts';
import { safe, type Terminal } from '../terminal.ts';

interface ValidateFlags {
  readonly store?: boolean;
  readonly config?: string;
  readonly dataDir?: string;
}

export function addValidate(program: Command, terminal: Terminal): void {
  program
    .command('validate')
    .description('check configuration files or suites; without files, the configuration that `serve` would use')
    .argument('[files...]', 'assay.yaml, suite files or folders, or names of built-in suites')
    .option(
      '--store',
      'also report criteria that always give the same answer, or duplicate another one, in the stored evaluations',
    )
    .addOption(settingOption('config'))
    .addOption(settingOption('data_dir'))
    .action(async (files: readonly string[], flags: ValidateFlags) => {
      const location = { config: flags.config, dataDir: flags.dataDir };
      if (files.length === 0) {
        const { settings, suites, shadows, remarks, truthRemarks, strangers } = await load(location);
        await failOnProjects(settings);
        const beside = shadows.map(({ name, version }) => `${name}@${version} in shadow`);
        terminal.out(`valid: ${[...suites.map(({ name, version }) => `${name}@${version}`), ...beside].join(', ')}`);
        for (const remark of [...remarks, ...truthRemarks]) terminal.err(`warning: ${safe(remark)}`);
        for (const { name, hint } of strangers) terminal.err(`warning: ${safe(name, 200)} is no setting: ${hint}`);
        await printRemarks(terminal, suites);
        if (flags.store === true) await printReview(terminal, settings, suites);
        return;
      }
      const configs: string[] = [];
      const references: string[] = [];
      for (const file of files) ((await isConfig(file)) ? configs : references).push(file);
      const fromConfigs = [];
      for (const config of configs) {
        const { settings, mistakes } = loadSettings({ flags: { config }, env: {}, cwd: process.cwd() });
        const loaded = await loadSuites(settings.suites, {
          baseDir: settings.baseDir,
          builtinDir: BUILTIN_SUITES,
          ...suiteLoading(settings),
          shadows: settings.shadowSuites,
        });
        // Secrets are where the service runs; a file is checked anywhere.
        const own = mistakes.filter((mistake) => !isMissingSecret(mistake));
        const inTruth = readTruthFiles(settings.truth, [...loaded.suites, ...loaded.shadows]);
        const remarks = [...sameVersions(loaded.suites, loaded.shadows), ...inTruth.remarks];
        fromConfigs.push({
          suites: loaded.suites,
          remarks,
          mistakes: [...own, ...loaded.mistakes, ...inTruth.mistakes],
        });
      }
      const direct = await loadSuites(references, { baseDir: process.cwd(), builtinDir: BUILTIN_SUITES });
      failOn([...fromConfigs.flatMap(({ mistakes }) => mistakes), ...direct.mistakes]);
      const suites = [...fromConfigs.flatMap((config) => config.suites), ...direct.suites];
      const named = suites.map(
        ({ name, version, scope, criteria }) => `${name}@${version} (${scope}, ${criteria.length} criteria)`,
      );
      terminal.out(`valid: ${[...configs, ...named].join(', ')}`);
      for (const remark of fromConfigs.flatMap(({ remarks }) => remarks)) terminal.err(`warning: ${safe(remark)}`);
      await printRemarks(terminal, suites);
      if (flags.store !== true) return;
      // A configuration that is checked says itself where its store is.
      const config = flags.config ?? configs[0];
      const { settings } = await load({ ...location, config }, { suites: ['default'] });
      await printReview(terminal, settings, suites);
    });
}

/** All mistakes of all projects at once. */
async function failOnProjects(settings: Settings): Promise<void> {
  const checked = await Promise.allSettled(projectStarts(settings).map((project) => project.load()));
  const failures = checked.flatMap((one) => (one.status === 'rejected' ? [errorMessage(one.reason)] : []));
  if (failures.length > 0) throw new CommandFailure(failures.join('\n'), EXIT.usage);
}

/** Limits of what a suite can know are reported, and are not mistakes. */
async function printRemarks(terminal: Terminal, suites: readonly CompiledSuite[]): Promise<void> {
  for (const { suite, says } of await suiteRemarks(suites)) terminal.out(`  ${suite}: ${terminal.paint('dim', says)}`);
  for (const { name, certificates } of suites)
    for (const [criterion, certificate] of certificates?.of ?? [])
      terminal.out(`  ${name}: ${criterion}: ${terminal.paint('dim', certificateWords(certificate))}`);
}

/** A suite says `suite:` or `criteria:` at its top level; any other YAML file is taken for a configuration. */
async function isConfig(file: string): Promise<boolean> {
  if (!/\.ya?ml$/.test(file)) return false;
  const fail = (error: unknown) => {
    throw new CommandFailure(unreadable(path.resolve(file), error), EXIT.input);
  };
  // Reading it as a suite refuses it for its size, before it is parsed.
  const { size } = await stat(file).catch(fail);
  if (size > SUITE_FILE_BYTES_MAX) return false;
  const text = await readFile(file, 'utf8').catch(fail);
  // Only the names at the top are looked at: aliases are not followed, which may become gigabytes.
  const { contents } = parseDocument(text, { logLevel: 'silent' });
  return !isMap(contents) || !(contents.has('suite') || contents.has('criteria'));
}
