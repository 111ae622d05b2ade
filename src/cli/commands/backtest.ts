/** `assay backtest`: what a changed suite would have said of recorded conversations. */
import type { Command } from 'commander';
import type { BacktestReport } from '../../model/backtest.ts';
import { backtest } from '../../backtest/backtest.ts';
import { openReader } from '../../serve/store-place/open-reader.ts';
import { documentMarkdown } from '../../report/documents/document-markdown.ts';
import { backtestJson } from '../../report/documents/backtest-json.ts';
import { backtestDocument } from '../../report/documents/backtest-document.ts';
import { suiteLoading } from '../../engine/suite-loading.ts';
import { loadSuites } from '../../score/load-suites.ts';
import { BUILTIN_SUITES, failOn, load } from '../load.ts';
import { noStore } from '../no-store.ts';
import { printDocument } from '../print-document.ts';
import { settingOption } from '../setting-option.ts';
import { sinceOf } from '../since.ts';
import { visibleJson } from '../../model/visible-text.ts';
import type { Terminal } from '../terminal.ts';
import { wholeNumber } from '../whole-number.ts';
import { writeReport } from '../write-report.ts';

interface BacktestFlags {
  readonly against?: string;
  readonly since?: string;
  readonly agent?: string;
  readonly agentVersion?: string;
  readonly limit?: string;
  readonly changed: string;
  readonly json?: boolean;
  readonly markdown?: string;
  readonly config?: string;
  readonly dataDir?: string;
}

export function addBacktest(program: Command, terminal: Terminal): void {
  program
    .command('backtest')
    .description(
      're-score recorded conversations with changed suites, and show the scores, outcomes and alerts that would have resulted',
    )
    .argument('<suites...>', 'files of changed suites')
    .option('--against <suite>', 'compare with this suite, instead of the one of the same name')
    .option('--since <time>', 'only conversations that began since then: a duration such as 7d, or a time')
    .option('--agent <name>', 'conversations of this agent only')
    .option('--agent-version <version>', 'conversations of this version only')
    .option('--limit <n>', 'the latest n only')
    .option('--changed <n>', 'number of changed conversations to show', '20')
    .option('--json', 'print the reports as JSON')
    .option('--markdown <file>', 'write the reports as Markdown as well; - is standard output')
    .addOption(settingOption('config'))
    .addOption(settingOption('data_dir'))
    .action(async (files: readonly string[], flags: BacktestFlags) => {
      const shown = wholeNumber('--changed', flags.changed);
      const limit = flags.limit === undefined ? undefined : wholeNumber('--limit', flags.limit);
      const since = sinceOf(flags.since);
      const location = { config: flags.config, dataDir: flags.dataDir };
      const { settings, suites: configured } = await load(location, { secrets: "the store's" });
      const { suites: changed, mistakes } = await loadSuites(files, {
        baseDir: process.cwd(),
        builtinDir: BUILTIN_SUITES,
        ...suiteLoading(settings),
      });
      failOn(mistakes);
      const reader = await openReader(settings);
      if (reader === undefined) throw noStore(settings);
      try {
        const reports: BacktestReport[] = [];
        for (const suite of changed) {
          const report = await backtest({
            changed: suite,
            against: flags.against ?? suite.name,
            configured,
            reader,
            settings,
            since,
            agent: flags.agent,
            agentVersion: flags.agentVersion,
            limit,
            shown,
            onProgress: ({ evaluations }) => terminal.progress(`${suite.name}: ${evaluations} looked at`),
          });
          terminal.progressDone();
          reports.push(report);
        }
        if (flags.json === true) terminal.out(visibleJson(reports.map(backtestJson), 2));
        else if (flags.markdown !== '-') printDocument(terminal, backtestDocument(reports));
        await writeReport(flags.markdown, () => documentMarkdown(backtestDocument(reports)), terminal);
      } finally {
        await reader.close();
      }
    });
}
