/** A report beside what a command prints: into a file, or `-` for standard output. */
import { writeFile } from 'node:fs/promises';
import { CommandFailure, EXIT } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

/** Nothing where no file is named. */
export async function writeReport(
  file: string | undefined,
  make: () => string,
  terminal: Terminal,
  exitCode: number = EXIT.input,
): Promise<void> {
  if (file === undefined) return;
  const text = make().trimEnd();
  if (file === '-') terminal.out(text);
  else
    await writeFile(file, `${text}\n`).catch((error: unknown) => {
      throw new CommandFailure(`write ${file}: ${error instanceof Error ? error.message : String(error)}`, exitCode);
    });
}
