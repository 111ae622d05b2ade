/** `assay suite test`: runs the examples that are written beside suites, and their golden traces, as a test runner would. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { counted } from '../../model/counted.ts';
import type { Command } from 'commander';
import { offlineRedaction } from '../../engine/redaction-rules.ts';
import { type GoldenTests, suitesWithGolden, testGoldenTraces } from '../../offline/golden-tests.ts';
import { type SuiteTestOptions, type TestedSuite, testSuites } from '../../offline/suite-tests.ts';
import { suiteTestsJson, suiteTestsJUnit } from '../../report/documents/suite-test-report.ts';
import { findSuiteTests } from '../../score/suite-test/find-suite-tests.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { BUILTIN_SUITES, failOn, load } from '../load.ts';
import { settingOption } from '../setting-option.ts';
import { visibleJson } from '../../model/visible-text.ts';
import { safe, type Terminal } from '../terminal.ts';
import { writeReport } from '../write-report.ts';
import { addSuiteMove } from './suite-move.ts';
import { addSuiteDraft } from './suite-draft.ts';
import { addSuiteMutate } from './suite-mutate.ts';

interface TestFlags {
  readonly config?: string;
  readonly json?: boolean;
  readonly junit?: string;
}

export function addSuite(program: Command, terminal: Terminal): void {
  const suite = program.command('suite').description('work on suites: draft, test, mutate, move');
  addSuiteDraft(suite, terminal);
  addSuiteMutate(suite, terminal);
  addSuiteMove(suite, terminal);
  suite
    .command('test')
    .description(
      'run the examples beside suites (refunds.test.yaml beside refunds.yaml) and their golden traces; without files, those of the configured suites',
    )
    .argument('[files...]', 'suites, files of tests, folders, or names of built-in suites')
    .option('--json', 'print {summary, tests} as JSON')
    .option('--junit <file>', 'write JUnit XML as well; - is standard output')
    .addOption(settingOption('config'))
    .action(async (files: readonly string[], flags: TestFlags) => {
      // The suites of the configuration only matter where they are what is tested.
      const { settings, suiteReferences, suitesBaseDirectory } = await load(
        { config: flags.config },
        files.length === 0 ? {} : { suites: ['default'] },
      );
      const [references, baseDir] =
        files.length === 0 ? [suiteReferences, suitesBaseDirectory] : [files, process.cwd()];
      const found = findSuiteTests(references, { baseDir, builtinDir: BUILTIN_SUITES });
      const [missing] = found.missing;
      if (missing !== undefined) {
        throw new CommandFailure(`${missing}: no such suite or file of tests`, EXIT.input);
      }
      const options = {
        builtinDir: BUILTIN_SUITES,
        tools: settings.tools,
        baseDir: process.cwd(),
        conversationKeys: settings.conversation.idKeys,
        redaction: offlineRedaction(settings),
      };
      const { tests, ...notTested } = await runTests(found, { ...options, referencesIn: baseDir });
      await writeReport(flags.junit, () => suiteTestsJUnit(tests), terminal);
      if (flags.json === true) terminal.out(visibleJson(suiteTestsJson(tests), 2));
      else if (flags.junit !== '-') print(terminal, tests, notTested);
      const failed = tests.filter(({ unmet }) => unmet.length > 0).length;
      if (failed > 0) throw new CommandFailure(`${failed} of ${tests.length} tests failed`, EXIT.failed);
    });
}

async function runTests(
  { files, untested }: Pick<ReturnType<typeof findSuiteTests>, 'files' | 'untested'>,
  { referencesIn: baseDir, ...options }: SuiteTestOptions & { readonly referencesIn: string },
): Promise<NotTested & { readonly tests: readonly TestedSuite[] }> {
  const written = await testSuites(files, options);
  // A suite without a file of tests may have golden traces.
  const alone = await suitesWithGolden(untested.filter(isSuite(baseDir)), { ...options, baseDir });
  failOn([...written.mistakes, ...alone.mistakes]);
  const { tests: golden, notRun } = await testGoldenTraces([...written.suites, ...[...alone.suites.values()].flat()]);
  const tests = [...written.tests, ...golden];
  const left = untested.filter((reference) => !alone.suites.has(reference));
  if (tests.length === 0) throw new CommandFailure(noTests(left, notRun), EXIT.input);
  return { tests, notRun, untested: left };
}

/** A folder is a place to look for tests, and no suite. */
function isSuite(baseDir: string): (reference: string) => boolean {
  return (reference) => statSync(path.resolve(baseDir, reference), { throwIfNoEntry: false })?.isDirectory() !== true;
}

function noTests(untested: readonly string[], notRun: GoldenTests['notRun']): string {
  const [golden] = notRun;
  if (golden !== undefined) return `no tests: ${notRunInWords(golden)}`;
  const [first = ''] = untested;
  const example = /\.(ya?ml|[mc]?[jt]s)$/.test(first) ? first.replace(/\.\w+$/, '.test.yaml') : 'refunds.test.yaml';
  return `no tests: ${untested.join(', ')}. Write them beside the suite, as ${example} (docs/score/suites.md shows how).`;
}

function notRunInWords({ trace, because }: GoldenTests['notRun'][number]): string {
  return `golden trace ${trace.id} in ${trace.file}: ${safe(because)}`;
}

interface NotTested extends Pick<GoldenTests, 'notRun'> {
  readonly untested: readonly string[];
}

function print(terminal: Terminal, tests: readonly TestedSuite[], { untested, notRun }: NotTested): void {
  const { paint } = terminal;
  for (const { file, line, suite, name, unmet } of tests) {
    const mark = unmet.length === 0 ? paint('green', 'pass') : paint('red', 'FAIL');
    terminal.out(
      `${mark}  ${suite}: ${safe(name)}${unmet.length === 0 ? '' : `  ${paint('dim', `${file}:${line ?? 1}`)}`}`,
    );
    for (const { what, expected, actual, reason, line: expectedAt, at } of unmet) {
      terminal.out(`      ${file}:${expectedAt ?? line ?? 1}: ${what}`);
      terminal.out(`        expected  ${expected}`);
      terminal.out(`        was       ${actual}`);
      terminal.out(`        because   ${safe(reason, 600)}${at === undefined ? '' : ` (${safe(at, 120)})`}`);
    }
  }
  for (const one of notRun) terminal.out(paint('dim', `not run  ${one.suite}: ${notRunInWords(one)}`));
  if (untested.length > 0) terminal.out(paint('dim', `without tests: ${untested.join(', ')}`));
  if (tests.every(({ unmet }) => unmet.length === 0)) terminal.out(`${counted(tests.length, 'test')} passed`);
}
