#!/usr/bin/env node
/** The command line. Each command is a file in `commands/`; this one only puts them together and ends the process. */
import { Command, CommanderError } from 'commander';
import { addBacktest } from './commands/backtest.ts';
import { addCompare } from './commands/compare.ts';
import { addDataset } from './commands/dataset.ts';
import { addDeadLetters } from './commands/dead-letters.ts';
import { addDetect } from './commands/detect.ts';
import { addDemo } from './commands/demo.ts';
import { addExperiments } from './commands/experiments.ts';
import { addExplain } from './commands/explain.ts';
import { addGate } from './commands/gate.ts';
import { addGolden } from './commands/golden.ts';
import { addInspect } from './commands/inspect.ts';
import { addLabels } from './commands/labels.ts';
import { addPrefer } from './commands/prefer.ts';
import { addRun } from './commands/run.ts';
import { addScore } from './commands/score.ts';
import { addServe } from './commands/serve.ts';
import { addShadow } from './commands/shadow.ts';
import { addStore } from './commands/store-copy.ts';
import { addSuite } from './commands/suite.ts';
import { addValidate } from './commands/validate.ts';
import { CommandFailure, EXIT, EXIT_HELP } from './exit-codes.ts';
import { processTerminal } from './terminal.ts';
import { version } from './version.ts';

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

addServe(program, terminal);
addDemo(program, terminal);
addDataset(program, terminal);
addPrefer(program, terminal);
addRun(program, terminal);
addExperiments(program, terminal);
addScore(program, terminal);
addExplain(program, terminal);
addCompare(program, terminal);
addDetect(program, terminal);
addGate(program, terminal);
addBacktest(program, terminal);
addShadow(program, terminal);
addGolden(program, terminal);
addInspect(program, terminal);
addLabels(program, terminal);
addStore(program, terminal);
addSuite(program, terminal);
addValidate(program, terminal);
addDeadLetters(program, terminal);

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
