/**
 * The runbooks of alerts, as they are packed with the program: a page on a phone at night can open them without the
 * repository. They are text, as they stand in `docs/runbooks`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Answer, jsonAnswer, textAnswer } from '../../report/http/answer.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../../docs/runbooks');
const NAME_SHOWN_MAX = 200;

export type Runbooks = ReadonlyMap<string, string>;

/** Texts by file name. Empty in a package that leaves them out. */
export function readRunbooks(folder = FOLDER): Runbooks {
  try {
    const files = readdirSync(folder).filter((file) => file.endsWith('.md'));
    return new Map(files.map((file) => [file, readFileSync(path.join(folder, file), 'utf8')]));
  } catch {
    // The answer says that there is none.
    return new Map();
  }
}

/** Found by its name in the list of what there is: no path of the request reaches the file system. */
export function runbookAnswer(runbooks: Runbooks, name: string): Answer {
  const text = runbooks.get(name);
  if (text === undefined) return jsonAnswer(404, { error: `there is no runbook ${name.slice(0, NAME_SHOWN_MAX)}` });
  return textAnswer(200, text);
}
