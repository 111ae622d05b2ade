/**
 * The fenced blocks of README.md and docs, as a reader meets them. A comment in front of a block that cannot run here
 * gives the reason, and GitHub does not show it:
 *
 *     <!-- not run: needs a Kubernetes cluster -->
 */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '../..');
const PAGES = ['README.md', 'docs/**/*.md'];
const FENCE = /^( *)(`{3,})([a-z]*)\s*$/;
const NOT_RUN = /^ *<!-- not run: (.+?) -->$/;

export interface Block {
  readonly page: string;
  readonly line: number;
  /** As written behind the fence; '' if nothing is. */
  readonly language: string;
  /** Without the indentation of its fence. */
  readonly text: string;
  readonly notRun: string | undefined;
}

export function allBlocks(): readonly Block[] {
  return globSync(PAGES, { cwd: ROOT })
    .toSorted()
    .flatMap((page) => blocksOf(page, readFileSync(path.join(ROOT, page), 'utf8')));
}

export function blocksOf(page: string, markdown: string): readonly Block[] {
  const lines = markdown.split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [, indent = '', fence = '', language = ''] = FENCE.exec(lines[at] ?? '') ?? [];
    if (fence === '') continue;
    const end = lines.findIndex((line, other) => other > at && line.trim() === fence);
    if (end < 0) throw new Error(`${page}:${at + 1}: the block has no end`);
    const text = lines.slice(at + 1, end).map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
    const before = lines.slice(0, at).findLast((line) => line.trim() !== '') ?? '';
    blocks.push({ page, line: at + 1, language, text: text.join('\n'), notRun: NOT_RUN.exec(before)?.[1] });
    at = end;
  }
  return blocks;
}

/** As an editor opens it. */
export function placeOf({ page, line }: Block): string {
  return `${page}:${line}`;
}
