/** `assay backtest`: what a changed suite would have said of recorded conversations. */
import type { Command } from 'commander';
import type { BacktestReport } from '../../model/backtest.ts';
import { backtest } from '../../backtest/backtest.ts';
import { openedStore } from '../opened-store.ts';
import { backtestJson } from '../../report/documents/backtest-json.ts';
import { backtestDocument } from '../../report/documents/backtest-document.ts';
import { suiteLoading } from '../../engine/suite-loading.ts';
import { loadSuites } from '../../score/load-suites.ts';
import { BUILTIN_SUITES, failOn, load } from '../load.ts';
import { printReport } from '../print-report.ts';
import { settingOption } from '../setting-option.ts';
import { sinceOf } from '../since.ts';
import type { Terminal } from '../terminal.ts';
import { wholeNumber } from '../whole-number.ts';

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
      const reader = await openedStore(settings);
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
        const json = reports.map(backtestJson);
        await printReport(terminal, flags, { document: backtestDocument(reports), json, indent: 2 });
      } finally {
        await reader.close();
      }
    });
}
