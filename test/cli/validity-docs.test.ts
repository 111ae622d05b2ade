/** The page of `assay validity` is tried: its files give what it prints. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { assayHere } from '../assay-here.ts';
import { tempDirectory } from '../temp-directory.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/score/validity.md'), 'utf8');

function block(language: string): string {
  const [, text] = new RegExp(`\\n\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page) ?? [];
  if (text === undefined) throw new Error(`the page has no block of ${language || 'text'}`);
  return text;
}

test('the example of the page prints what the page says', async () => {
  const cwd = tempDirectory();
  writeFileSync(path.join(cwd, 'recorded.jsonl'), block('jsonl'));
  writeFileSync(path.join(cwd, 'csat.csv'), block('csv'));
  const [, , ...args] = block('sh').trim().split(' ');

  const { status, stdout } = await assayHere(args, { cwd });

  expect(status).toBe(0);
  expect(stdout).toContain(block('text'));
});
