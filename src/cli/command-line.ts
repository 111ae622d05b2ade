/** The command line. Each command is a file in `commands/`; this one only puts them together. */
import { Command, CommanderError } from 'commander';
import { UnreadableInput } from '../model/unreadable-input.ts';
import { COMMANDS } from './commands.ts';
import { CommandFailure, EXIT, withCauses } from './exit-codes.ts';
import { addHelpLevels } from './help-levels.ts';
import { processTerminal, type Terminal } from './terminal.ts';
import { version } from './version.ts';

/** Does what the arguments of the process say. The exit code. */
export async function runCommandLine(): Promise<number> {
  const terminal = processTerminal();
  const program = new Command('assay')
    .description(
      'Scores what LLM agents do, from their OpenTelemetry spans: yes/no checks with weights, TCR, Prometheus metrics.',
    )
    .version(version)
    .exitOverride()
    .configureOutput({ writeErr: (text) => terminal.err(text.replace(/\n$/, '')) });

  const asked = process.argv[2] ?? '';
  const named = Object.hasOwn(COMMANDS, asked) ? COMMANDS[asked] : undefined;
  // Help, and the answer to a misspelled name, list all commands.
  const used = named === undefined ? Object.values(COMMANDS) : [named];
  for (const add of new Set(await Promise.all(used.map(([, load]) => load())))) add(program, terminal);
  if (named === undefined) addHelpLevels(program);

  try {
    await program.parseAsync();
    return EXIT.ok;
  } catch (error) {
    return report(error, terminal);
  }
}

function report(error: unknown, terminal: Terminal): number {
  // commander has printed its own message; its exit code for help is 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  terminal.progressDone();
  if (error instanceof CommandFailure) {
    if (error.message !== '') terminal.err(error.message);
    return error.exitCode;
  }
  if (error instanceof UnreadableInput) {
    terminal.err(error.message);
    return EXIT.input;
  }
  terminal.err(error instanceof Error ? withCauses(error) : String(error));
  return EXIT.failed;
}
