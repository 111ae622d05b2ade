/** `assay shadow`: what suites in shadow say beside the live ones, by what the store has. */
import type { Command } from 'commander';
import { shadowReports } from '../../backtest/shadow-report.ts';
import { openedStore } from '../opened-store.ts';
import { outlineOf } from '../../engine/suite-outline.ts';
import { backtestJson } from '../../report/documents/backtest-json.ts';
import { backtestDocument } from '../../report/documents/backtest-document.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { load } from '../load.ts';
import { printReport } from '../print-report.ts';
import { settingOption } from '../setting-option.ts';
import { sinceOf } from '../since.ts';
import { safe, type Terminal } from '../terminal.ts';
import { wholeNumber } from '../whole-number.ts';

interface ShadowFlags {
  readonly suite?: string;
  readonly since?: string;
  readonly agent?: string;
  readonly agentVersion?: string;
  readonly limit: string;
  readonly changed: string;
  readonly json?: boolean;
  readonly markdown?: string;
  readonly config?: string;
  readonly dataDir?: string;
}

export function addShadow(program: Command, terminal: Terminal): void {
  program
    .command('shadow')
    .description(
      'compare shadow suites (shadow_suites) with the live ones, and show the conversations that differ most',
    )
    .option('--suite <name>', 'this suite only')
    .option('--since <time>', 'only conversations that began since then: a duration such as 7d, or a time')
    .option('--agent <name>', 'conversations of this agent only')
    .option('--agent-version <version>', 'conversations of this version only')
    .option('--limit <n>', 'the latest n evaluations of each suite', '100000')
    .option('--changed <n>', 'number of differing conversations to show', '20')
    .option('--json', 'print the reports as JSON')
    .option('--markdown <file>', 'write the reports as Markdown as well; - is standard output')
    .addOption(settingOption('config'))
    .addOption(settingOption('data_dir'))
    .action(async (flags: ShadowFlags) => {
      const shown = wholeNumber('--changed', flags.changed);
      const limit = wholeNumber('--limit', flags.limit);
      const since = sinceOf(flags.since);
      const location = { config: flags.config, dataDir: flags.dataDir };
      const { settings, suites, shadows, remarks } = await load(location, { secrets: "the store's" });
      if (shadows.length === 0)
        throw new CommandFailure('no suite runs in shadow: name one in shadow_suites of assay.yaml', EXIT.input);
      for (const remark of remarks) terminal.err(`warning: ${safe(remark)}`);
      const reader = await openedStore(settings);
      try {
        const { suite, agent, agentVersion } = flags;
        const running = [...suites, ...shadows].map(outlineOf);
        const reports = await shadowReports({
          reader,
          suites: running,
          suite,
          since,
          agent,
          agentVersion,
          limit,
          shown,
        });
        const json = reports.map(backtestJson);
        await printReport(terminal, flags, { document: backtestDocument(reports), json, indent: 2 });
      } finally {
        await reader.close();
      }
    });
}
