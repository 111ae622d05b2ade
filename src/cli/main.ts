#!/usr/bin/env node
/** The command line. Each command is a file in `commands/`; this one only puts them together and ends the process. */
import { Command, CommanderError } from 'commander';
import { CommandFailure, EXIT, EXIT_HELP } from './exit-codes.ts';
import { processTerminal, type Terminal } from './terminal.ts';
import { version } from './version.ts';

/** By their names, in the order of `--help`. One is started in half the time if the others are not loaded. */
const COMMANDS: { readonly [name: string]: () => Promise<(program: Command, terminal: Terminal) => void> } = {
  serve: async () => (await import('./commands/serve.ts')).addServe,
  demo: async () => (await import('./commands/demo.ts')).addDemo,
  dataset: async () => (await import('./commands/dataset.ts')).addDataset,
  prefer: async () => (await import('./commands/prefer.ts')).addPrefer,
  run: async () => (await import('./commands/run.ts')).addRun,
  experiments: async () => (await import('./commands/experiments.ts')).addExperiments,
  show: async () => (await import('./commands/experiments.ts')).addExperiments,
  score: async () => (await import('./commands/score.ts')).addScore,
  explain: async () => (await import('./commands/explain.ts')).addExplain,
  compare: async () => (await import('./commands/compare.ts')).addCompare,
  doctor: async () => (await import('./commands/doctor.ts')).addDoctor,
  detect: async () => (await import('./commands/detect.ts')).addDetect,
  gate: async () => (await import('./commands/gate.ts')).addGate,
  backtest: async () => (await import('./commands/backtest.ts')).addBacktest,
  shadow: async () => (await import('./commands/shadow.ts')).addShadow,
  golden: async () => (await import('./commands/golden.ts')).addGolden,
  inspect: async () => (await import('./commands/inspect.ts')).addInspect,
  labels: async () => (await import('./commands/labels.ts')).addLabels,
  store: async () => (await import('./commands/store-copy.ts')).addStore,
  suite: async () => (await import('./commands/suite.ts')).addSuite,
  validity: async () => (await import('./commands/validity.ts')).addValidity,
  validate: async () => (await import('./commands/validate.ts')).addValidate,
  'dead-letters': async () => (await import('./commands/dead-letters.ts')).addDeadLetters,
};

const terminal = processTerminal();
const program = new Command('assay')
  .description(
    'Scores what LLM agents do, from their OpenTelemetry spans: yes/no checks with weights, TCR, Prometheus metrics.',
  )
  .version(version)
  .exitOverride()
  .configureOutput({ writeErr: (text) => process.stderr.write(text) })
  .addHelpText('after', EXIT_HELP);

// `assay score … | head` closes the pipe early; that is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(EXIT.ok);
});

const asked = process.argv[2] ?? '';
const named = Object.hasOwn(COMMANDS, asked) ? COMMANDS[asked] : undefined;
// Help, and the answer to a misspelled name, list all commands.
const adds = named === undefined ? await Promise.all(Object.values(COMMANDS).map((load) => load())) : [await named()];
for (const add of new Set(adds)) add(program, terminal);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

function report(error: unknown): number {
  // commander has printed its own message; its exit code for help is 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  terminal.progressDone();
  if (error instanceof CommandFailure) {
    if (error.message !== '') terminal.err(error.message);
    return error.exitCode;
  }
  terminal.err(error instanceof Error ? withCauses(error) : String(error));
  return EXIT.failed;
}

function withCauses(error: Error): string {
  const lines = [error.message];
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) lines.push(`  because: ${cause.message}`);
  return lines.join('\n');
}
