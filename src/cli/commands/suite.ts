/** `assay suite test`: runs the examples that are written beside suites, as a test runner would. */
import { counted } from '../../model/counted.ts';
import type { Command } from 'commander';
import { offlineRedaction } from '../../engine/redaction-rules.ts';
import { type TestedSuite, testSuites } from '../../offline/suite-tests.ts';
import { suiteTestsJson, suiteTestsJUnit } from '../../report/documents/suite-test-report.ts';
import { findSuiteTests } from '../../score/suite-test/find-suite-tests.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { BUILTIN_SUITES, failOn, load } from '../load.ts';
import { settingOption } from '../setting-option.ts';
import { visibleJson } from '../../model/visible-text.ts';
import { safe, type Terminal } from '../terminal.ts';
import { writeReport } from '../write-report.ts';
import { addSuiteMutate } from './suite-mutate.ts';

interface TestFlags {
  readonly config?: string;
  readonly json?: boolean;
  readonly junit?: string;
}

export function addSuite(program: Command, terminal: Terminal): void {
  const suite = program.command('suite').description('work on suites: test, mutate');
  addSuiteMutate(suite, terminal);
  suite
    .command('test')
    .description(
      'run the examples beside suites (refunds.test.yaml beside refunds.yaml); without files, those of the configured suites',
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
      if (found.files.length === 0) throw new CommandFailure(noTests(found.untested), EXIT.input);
      const { tests, mistakes } = await testSuites(found.files, {
        builtinDir: BUILTIN_SUITES,
        tools: settings.tools,
        baseDir: process.cwd(),
        conversationKeys: settings.conversation.idKeys,
        redaction: offlineRedaction(settings),
      });
      failOn(mistakes);
      await writeReport(flags.junit, () => suiteTestsJUnit(tests), terminal);
      if (flags.json === true) terminal.out(visibleJson(suiteTestsJson(tests), 2));
      else if (flags.junit !== '-') print(terminal, tests, found.untested);
      const failed = tests.filter(({ unmet }) => unmet.length > 0).length;
      if (failed > 0) throw new CommandFailure(`${failed} of ${tests.length} tests failed`, EXIT.failed);
    });
}

function noTests(untested: readonly string[]): string {
  const [first = ''] = untested;
  const example = /\.(ya?ml|[mc]?[jt]s)$/.test(first) ? first.replace(/\.\w+$/, '.test.yaml') : 'refunds.test.yaml';
  return `no tests: ${untested.join(', ')}. Write them beside the suite, as ${example} (docs/suites.md shows how).`;
}

function print(terminal: Terminal, tests: readonly TestedSuite[], untested: readonly string[]): void {
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
  if (untested.length > 0) terminal.out(paint('dim', `without tests: ${untested.join(', ')}`));
  if (tests.every(({ unmet }) => unmet.length === 0)) terminal.out(`${counted(tests.length, 'test')} passed`);
}
