/**
 * `assay demo`: the service, and the example agent against it: first a healthy version, then a bad one. Shows a user
 * the day of a bad release as a team would see it.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { once } from 'node:events';
import type { Command } from 'commander';
import type { Service } from '../../serve/service.ts';
import { storeFileIn } from '../../serve/store-place/data-directory.ts';
import { wordsOf } from '../../model/suite-words.ts';
import { summarize } from '../../report/documents/summary.ts';
import { StoreReader } from '../../store/sqlite/store-reader.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { greeting, serviceFlag } from '../greeting.ts';
import { type Flags, type Loaded, load } from '../load.ts';
import { printTable } from '../print-table.ts';
import { percent, safe, type Terminal } from '../terminal.ts';
import { endAtOnce, onEndSignal } from '../end-signals.ts';
import { startWithLog, untilStopped, withServiceFlags } from './serve.ts';

interface Phase {
  readonly version: string;
  readonly story: string;
  readonly regress: readonly string[];
}

const PHASES: readonly Phase[] = [
  { version: 'v1', story: 'a healthy version', regress: [] },
  {
    version: 'v2',
    story: 'a bad release: wrong people, wrong times, no alternatives, crashes',
    regress: ['wrong-participant', 'wrong-time', 'skip-alternatives', 'silent-crash'],
  },
];
const REGRESS_RATE = 0.6;
/**
 * Times of a demonstration, short so that verdicts come within seconds. A crashed conversation has no end mark, and
 * waits to be idle.
 */
const DEMO_TIMES = { ASSAY_TURN_SETTLE: '2s', ASSAY_CONVERSATION_IDLE: '8s' };
const EXAMPLE = path.resolve(import.meta.dirname, '../../../examples/scheduling-agent/main.ts');
/** The suite of the example agent, which is nobody else's, beside the defaults. */
const DEMO_SUITES = ['default', 'scheduling', 'honesty'];
const INTERRUPTED = 130;
const SCORED_WITHIN_MS = 30_000;

export function addDemo(program: Command, terminal: Terminal): void {
  withServiceFlags(program.command('demo'))
    .description('run the service and drive the example agent against it: a healthy version, then a bad one')
    .option('--conversations <n>', 'conversations per version', '40')
    .option(
      '--seed <n>',
      'seed for the requests of the example users (default: 1; with --data-dir a new one each time)',
    )
    .option('--exit', 'stop when both versions are scored, instead of at Ctrl-C')
    .addHelpText('after', '\nUnless --data-dir is given, the demo keeps its data in a temporary folder of its own.')
    .action(
      async (given: Flags & { readonly conversations: string; readonly seed?: string; readonly exit?: boolean }) => {
        if (!existsSync(EXAMPLE)) {
          throw new CommandFailure(
            'the example agent is not here: `demo` runs from a clone of the repository',
            EXIT.input,
          );
        }
        const flags = withOwnPlace(given);
        const isTemporary = flags.dataDir !== given.dataDir;
        for (const [name, value] of Object.entries(DEMO_TIMES)) process.env[name] ??= value;
        const discard = () => {
          if (isTemporary) rmSync(flags.dataDir, { recursive: true, force: true });
        };
        // Ctrl-C during the start ends the process at once.
        process.once('exit', discard);
        const loaded = await load({ ...flags, exit: undefined }, { suites: DEMO_SUITES });
        const { service, log } = await startWithLog(loaded);
        process.off('exit', discard);
        const sayWhere = () => {
          if (isTemporary) terminal.out(`The data of this demo are kept in ${flags.dataDir}; delete it when you like.`);
        };
        const endEarly = () => {
          terminal.progressDone();
          sayWhere();
          process.exit(INTERRUPTED);
        };
        terminal.out(greeting(loaded, service));
        onEndSignal(endEarly);
        try {
          for (const phase of PHASES) await runPhase(terminal, service, loaded, phase, flags);
          await printComparison(terminal, service, loaded);
        } catch (error) {
          await service.stop();
          sayWhere();
          throw error;
        }
        onEndSignal(endAtOnce);
        if (flags.exit === true) await service.stop();
        else {
          terminal.out('\nStill serving. Ctrl-C stops it.');
          await untilStopped(service, log, { goesOn: !isTemporary });
        }
        sayWhere();
      },
    );
}

/**
 * A demo must not leave its conversations among those of real agents, so only --data-dir puts them elsewhere. In a folder that has seen a demo before,
 * the same seed would give the same conversations again.
 */
function withOwnPlace<F extends Flags & { readonly seed?: string }>(flags: F): F & { dataDir: string; seed: string } {
  const { dataDir, seed } = flags;
  if (typeof dataDir === 'string') return { ...flags, dataDir, seed: seed ?? String(Date.now() % 1_000_000) };
  return { ...flags, dataDir: mkdtempSync(path.join(tmpdir(), 'assay-demo-')), seed: seed ?? '1' };
}

async function runPhase(
  terminal: Terminal,
  service: Service,
  loaded: Loaded,
  phase: Phase,
  flags: { readonly conversations: string; readonly seed: string },
): Promise<void> {
  terminal.out(
    `${terminal.paint('bold', `scheduling-agent ${phase.version}`)}: ${flags.conversations} conversations with ${phase.story}`,
  );
  const child = spawn(
    process.execPath,
    [
      EXAMPLE,
      ...['--endpoint', `http://${loaded.settings.host}:${service.ports.otlpHttp}`],
      ...['--conversations', flags.conversations],
      ...['--rate', '20'],
      ...['--version', phase.version],
      ...['--seed', flags.seed],
      ...(phase.regress.length > 0
        ? ['--regress', phase.regress.join(','), '--regress-rate', String(REGRESS_RATE)]
        : []),
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the example agent ended with code ${String(code)}`);
}

async function printComparison(terminal: Terminal, service: Service, loaded: Loaded): Promise<void> {
  const deadline = Date.now() + SCORED_WITHIN_MS;
  const reader = StoreReader.open(storeFileIn(loaded.settings.dataDir));
  try {
    while (Date.now() < deadline && (service.pending() > 0 || waiting(reader) > 0)) {
      terminal.progress(`scoring: ${service.pending()} turns to go`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    terminal.progressDone();
    const base = `http://${loaded.settings.host}:${service.ports.http}`;
    for (const { version } of PHASES) {
      const rows = reader.list({ agent: 'scheduling-agent', agentVersion: version, limit: 1000 });
      const evaluations = rows
        .flatMap((row) => reader.evaluations(row, { revisions: 'last' }))
        .filter(({ suite }) => suite === 'scheduling');
      const { tcr, success_rate: successes, failing_criteria: failing } = summarize(evaluations);
      const share = successes === null ? 'nothing scored' : `${percent(successes)} successful`;
      terminal.out(`\n  ${version}   TCR ${tcr?.toFixed(3) ?? '–'}   ${share}`);
      const failed = failing.slice(0, 4).map((one) => [one.criterion, `failed ${one.failed} of ${one.decided}`]);
      printTable(terminal, failed, { indent: 7 });
      const [example] = failing[0]?.examples ?? [];
      if (example !== undefined)
        terminal.out(
          `       why, for one of them:  npx assay explain ${safe(example)} --data-dir ${loaded.settings.dataDir}`,
        );
    }
    terminal.out(`\n  ${terminal.paint('dim', wordsOf('task').spelledOut)}`);
    terminal.out(`
  Next
    what fell, in a browser         ${base}/?suite=scheduling
    the same in Prometheus          curl -s ${base}/metrics | grep assay_evaluation_score
    the conversations that failed   curl -s '${base}/api/conversations?agent_version=v2&outcome=hard_failure'
    what the service received       npx assay doctor${serviceFlag(loaded.settings, service.ports)}
    your own agent                  npx assay init, and docs/start/quickstart.md`);
  } finally {
    reader.close();
  }
}

function waiting(reader: StoreReader): number {
  return reader.list({ agent: 'scheduling-agent', limit: 1000 }).filter(({ dueCause }) => dueCause !== undefined)
    .length;
}
