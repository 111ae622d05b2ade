/** Exit codes of the commands. `--help` prints their meaning. */
import type { CommanderError } from 'commander';
import { errorMessage } from '../model/error-message.ts';

export const EXIT = {
  ok: 0,
  /** Something went wrong that is not the user's doing. */
  failed: 1,
  /** The command line, the configuration or a suite has mistakes. */
  usage: 2,
  /** An input could not be read, or the requested item does not exist. */
  input: 3,
  /** Data are lost, and a person has to decide whether to go on without them. */
  loss: 4,
} as const;

/** A gate is asked by machines: what it found must not be mistaken for what went wrong. */
export const GATE_EXIT = { pass: 0, regression: 1, not_enough_evidence: 2, error: 3 } as const;

export const RELEASE_EXIT = { promote: 0, roll_back: 1, hold: 2, error: 3 } as const;

/** Nothing was decided, whatever went wrong. */
export function failUndecided(error: unknown): never {
  throw new CommandFailure(errorMessage(error), GATE_EXIT.error);
}

/** A command line that cannot be parsed is an error, not a decision. */
export function undecidedUnlessHelp(error: CommanderError): never {
  throw error.exitCode === 0 ? error : new CommandFailure('', GATE_EXIT.error);
}

/** Somebody stopped the command. */
export const INTERRUPTED = 130;

export const EXIT_HELP = `
Exit codes: 0 done; 1 failed; 2 mistakes in the command line, the configuration or a suite; 3 an input cannot be read,
or the requested item does not exist; 4 data of the store are lost, and a person must decide.`;

/** Ends a command with a message and an exit code. */
export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The message of an error, and a line for each cause. */
export function withCauses(error: Error): string {
  const lines = [error.message];
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) lines.push(`  because: ${cause.message}`);
  return lines.join('\n');
}
