/**
 * The line below the heading of a page for users, which says for whom the page is and how long it takes:
 *
 *     *For operators. 7 minutes.*
 *
 * The time is counted, at 200 words a minute. The readers are written by hand.
 */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const WORDS_A_MINUTE = 200;
const ROOT = path.resolve(import.meta.dirname, '..');
const PAGES = 'docs/{start,score,operate,reference}/*.md';
const LINE = /^(# .+\n\n\*For [^.\n]+\. )\d+ minutes?\.\*$/m;

export interface UserPage {
  /** From the root of the project. */
  readonly file: string;
  readonly text: string;
}

export function userPages(): readonly UserPage[] {
  return globSync(PAGES, { cwd: ROOT })
    .toSorted()
    .map((file) => ({ file, text: readFileSync(path.join(ROOT, file), 'utf8') }));
}

export function hasReadingTime(page: string): boolean {
  return LINE.test(page);
}

export function withReadingTime(page: string): string {
  const minutes = Math.ceil(wordsIn(page) / WORDS_A_MINUTE);
  return page.replace(LINE, (_line, start: string) => `${start}${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.*`);
}

/** Code and the cells of tables are read, too; the lines between cells are no words. */
export function wordsIn(page: string): number {
  return page.match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;
}
