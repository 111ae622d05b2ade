/** Changes the configuration file beside what people wrote: comments stay, and so does the order of what is there. */
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { type Document, isMap, parseDocument } from 'yaml';
import { configFile } from '../config/settings.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';
import type { Flags } from './load.ts';
import { safe } from './terminal.ts';

/** Gives the name of the file. `edit` gives a reason where the file is not as it must be. */
export async function editConfiguration(
  flags: Flags,
  edit: (document: Document) => string | undefined,
): Promise<string> {
  const file = configFile({ flags, env: process.env, cwd: process.cwd() });
  const document: Document = parseDocument(existsSync(file) ? readFileSync(file, 'utf8') : '');
  const isOther = document.contents !== null && !isMap(document.contents);
  const problem = isOther ? 'it is no map of settings' : edit(document);
  if (problem !== undefined) throw new CommandFailure(`${safe(file, 200)}: ${problem}`, EXIT.input);
  try {
    // In place: a file that is mounted into a container cannot be replaced.
    await writeFile(file, document.toString({ lineWidth: 0 }));
  } catch (error) {
    throw new CommandFailure(`write ${safe(file, 200)}: ${error instanceof Error ? error.message : ''}`, EXIT.input);
  }
  return file;
}
