/** `assay doctor`: what a running service received, what became of it, what is missing, in what its agents fail, and what to do. */
import type { Command } from 'commander';
import { acceptExporter } from '../accept-exporter.ts';
import { type Diagnosis, diagnose, failingSuites } from '../diagnose.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { printTable } from '../print-table.ts';
import {
  ask,
  askedPort,
  askText,
  reading,
  type ServiceFlags,
  serviceOf,
  tokenOption,
  writing,
} from '../running-service.ts';
import { Scrape } from '../scraped-series.ts';
import { settingOption } from '../setting-option.ts';
import { conversationList } from '../../api/conversation-list.ts';
import { type ExporterList, exporterList } from '../../api/exporters.ts';
import { suiteList } from '../../api/suite-list.ts';
import { type Ledger, ledgerOf } from '../../model/exporters.ts';
import { FAILED_OUTCOMES } from '../../model/severity.ts';
import { visibleJson } from '../../model/visible-text.ts';
import { safe, type Terminal } from '../terminal.ts';

const TEXT_MAX = 200;

export function addDoctor(program: Command, terminal: Terminal): void {
  program
    .command('doctor')
    .description(
      'check the running service: what it received and scored, what is missing, in what its agents fail, and what to do',
    )
    .option('--url <url>', 'the service to ask (default: that of the configuration, on this machine)')
    .option('--json', 'print JSON')
    .addOption(settingOption('config'))
    .addOption(tokenOption())
    .addOption(askedPort())
    .addHelpText(
      'after',
      '\nCounts of received data begin with the start of the service. Exit code 1 if it is not ready.',
    )
    .option('--accept <scope>', 'write what was seen of this exporter into the configuration file, and reload it')
    .action(async (flags: ServiceFlags & { readonly accept?: string }) => {
      const { url, token, writeToken, otlp, settings } = serviceOf(flags);
      const ledger = ledgerOf(settings.exporters.known);
      const exporters = await unknownAt(url, ledger, reading(token));
      if (flags.accept !== undefined) {
        await accept(flags.accept, { exporters, flags, url, writeToken }, terminal);
        return;
      }
      const [metrics, ready, needs] = await Promise.all([
        askText(new URL('/metrics', url), reading(token)),
        askText(new URL('/readyz', url), { accept: 503 }),
        needsAt(url, reading(token)),
      ]);
      const notReady = ready.trim() === 'ready' ? [] : ready.trim().split('\n');
      const scrape = new Scrape(metrics);
      const worst = await worstAt(url, failingSuites(scrape), reading(token));
      const diagnosis = diagnose({ scrape, notReady, needs, worst, exporters, otlp });
      if (flags.json === true) terminal.out(visibleJson(diagnosis, 2));
      else print(terminal, url, diagnosis);
      if (notReady.length > 0) throw new CommandFailure('', EXIT.failed);
    });
}

/** Empty where it cannot be had: the rest can be said without. */
async function needsAt(url: string, asking: RequestInit): Promise<ReadonlyMap<string, readonly string[]>> {
  try {
    // Without evaluations, the store is not read for their figures.
    const asked = new URL(`/api/v1/suites?since=${new Date().toISOString()}`, url);
    const { suites } = suiteList.parse(await ask(asked, asking));
    return new Map(
      suites.flatMap(({ name, live, criteria }) =>
        live ? criteria.map((criterion) => [`${name}/${criterion.name}`, criterion.needs] as const) : [],
      ),
    );
  } catch {
    return new Map();
  }
}

/** Empty where it cannot be had: the rest can be said without. */
async function unknownAt(url: string, ledger: Ledger, asking: RequestInit): Promise<ExporterList['exporters']> {
  try {
    const { exporters } = exporterList.parse(await ask(new URL('/api/v1/exporters', url), asking));
    return exporters.filter(({ scope }) => !ledger.knows(scope));
  } catch {
    return [];
  }
}

async function accept(
  scope: string,
  {
    exporters,
    flags,
    url,
    writeToken,
  }: {
    readonly exporters: ExporterList['exporters'];
    readonly flags: ServiceFlags;
    readonly url: string;
    readonly writeToken: string | undefined;
  },
  { out }: Terminal,
): Promise<void> {
  const entry = exporters.find((one) => one.scope === scope)?.entry;
  if (entry === undefined)
    throw new CommandFailure(
      `no entry is proposed for the exporter ${safe(scope, TEXT_MAX)}: it is known, was not seen, or too little was seen of it`,
      EXIT.input,
    );
  const file = await acceptExporter(entry, flags);
  out(`${safe(file, TEXT_MAX)}: exporters.known has ${safe(JSON.stringify(entry), TEXT_MAX)} now`);
  await ask(new URL('/api/v1/reload', url), writing('POST', {}, writeToken));
  out('The service has read its configuration again: if that is another file, write the entry there.');
  out('What was scored before stays as it is.');
}

/** A conversation with the worst outcome for each suite; absent if it cannot be read. */
async function worstAt(
  url: string,
  suites: readonly string[],
  asking: RequestInit,
): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(
    suites.map(async (suite) => {
      const asked = new URL('/api/v1/conversations?order=worst&limit=1', url);
      asked.searchParams.set('suite', suite);
      for (const outcome of FAILED_OUTCOMES) asked.searchParams.append('outcome', outcome);
      try {
        const [first] = conversationList.parse(await ask(asked, asking)).conversations;
        return first === undefined ? [] : ([[suite, first.conversation_id]] as const);
      } catch {
        // The advice then says where to look instead.
        return [];
      }
    }),
  );
  return new Map(found.flat());
}

function print(terminal: Terminal, url: string, { facts, advice, agents }: Diagnosis): void {
  const { out, paint } = terminal;
  out(`Assay at ${url}`);
  printTable(
    terminal,
    facts.map(({ about, text }) => [about, { text, max: TEXT_MAX }]),
  );
  out('');
  if (advice.length === 0) out(paint('green', 'The service: nothing to do.'));
  for (const { problem, remedy } of [...advice, ...agents]) {
    out(`${paint('yellow', '!')} ${safe(problem, TEXT_MAX)}`);
    out(`    ${safe(remedy, TEXT_MAX)}`);
  }
}
