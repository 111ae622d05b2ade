/** `assay doctor`: what a running service received, what became of it, what is missing, in what its agents fail, and what to do. */
import type { Command } from 'commander';
import { type Diagnosis, diagnose, failingSuites } from '../diagnose.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { printTable } from '../print-table.ts';
import { ask, askedPort, askText, reading, type ServiceFlags, serviceOf, tokenOption } from '../running-service.ts';
import { Scrape } from '../scraped-series.ts';
import { settingOption } from '../setting-option.ts';
import { conversationList } from '../../api/conversation-list.ts';
import { suiteList } from '../../api/suite-list.ts';
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
    .action(async (flags: ServiceFlags) => {
      const { url, token, otlp } = serviceOf(flags);
      const [metrics, ready, needs] = await Promise.all([
        askText(new URL('/metrics', url), reading(token)),
        askText(new URL('/readyz', url), { accept: 503 }),
        needsAt(url, reading(token)),
      ]);
      const notReady = ready.trim() === 'ready' ? [] : ready.trim().split('\n');
      const scrape = new Scrape(metrics);
      const worst = await worstAt(url, failingSuites(scrape), reading(token));
      const diagnosis = diagnose({ scrape, notReady, needs, worst, otlp });
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
