/**
 * Each command of Assay that the documentation shows exists, with the options that it shows. Other tests cover the
 * effects; this one keeps pages from rotting.
 */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { assayHere } from '../assay-here.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** Without decisions, which describe the past and what may come. */
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'docs/*.md',
  'docs/{start,score,operate,reference,runbooks}/*.md',
  'examples/**/README.md',
  'collector-config/*.md',
];
const SHELL = /^( *)```(?:sh|bash|console)\n([\s\S]*?)^\1```/gm;
/** As it is typed in a clone, in a project and in the image. */
const CALLED =
  /(?:^|[;&|(]\s*|\$\(|-- )(?:[A-Z_]+=\S+\s+)*(?:npx (?:--no-install )?|npm run (?:-s |--silent )?)?assay(?: --)? +(.*)$/;
const INLINE = /`(?:npx )?assay ([a-z][^`]*)`/g;

interface Shown {
  readonly page: string;
  /** After the name of the program. */
  readonly words: readonly string[];
}

/** Commands in shell blocks, and those that a sentence names. */
function shownIn(file: string): readonly Shown[] {
  const page = path.relative(ROOT, file);
  const text = readFileSync(file, 'utf8');
  const blocks = [...text.matchAll(SHELL)].flatMap(([, , block = '']) =>
    block
      .replace(/\\\n\s*/g, ' ')
      .split('\n')
      .flatMap((line) => CALLED.exec(line.replace(/^\s*\$ /, '').trim())?.[1] ?? []),
  );
  const named = [...text.replace(SHELL, '').matchAll(INLINE)].map(([, command = '']) => command);
  return [...blocks, ...named].map((command) => ({ page, words: wordsOf(command) }));
}

/** Up to where the shell takes over; a quoted word is one word. */
function wordsOf(command: string): readonly string[] {
  const [own = ''] = command.split(/\s(?:\||>|>>|2>|&&|;|#|&)(?:\s|$)/);
  return [...own.matchAll(/"[^"]*"|'[^']*'|\S+/g)].map(([word]) => word.replace(/^["']|["']$/g, ''));
}

const helps = new Map<string, string>();

/** Undefined where there is no such command. */
async function helpOf(words: readonly string[]): Promise<string | undefined> {
  const key = words.join(' ');
  let help = helps.get(key);
  if (help === undefined) {
    const { status, stdout } = await assayHere([...words, '--help']);
    help = status === 0 ? stdout : '';
    helps.set(key, help);
  }
  return help.startsWith(`Usage: assay ${key}`) ? help : undefined;
}

/** Its mistake; undefined if it has none. */
async function mistakeIn({ words }: Shown): Promise<string | undefined> {
  const [name = '', sub = ''] = words;
  if (name.startsWith('-')) return undefined;
  const help = await helpOf([name]);
  if (help === undefined) return `there is no command ${name}`;
  const own =
    /^[a-z][a-z-]*$/.test(sub) && new RegExp(`^  ${sub}(?: |\\|)`, 'm').test(help) ? await helpOf([name, sub]) : help;
  const options = words.filter((word) => /^--[a-z]/.test(word)).map((word) => word.split('=')[0] ?? '');
  const unknown = options.find(
    (option) => option !== '--help' && !new RegExp(`(?:^|[ ,])${option}\\b`, 'm').test(own ?? ''),
  );
  return unknown === undefined ? undefined : `${[name, sub].join(' ')} has no option ${unknown}`;
}

test('each command on a page exists, with its options', async () => {
  const shown = globSync(PAGES, { cwd: ROOT }).flatMap((file) => shownIn(path.join(ROOT, file)));

  const mistakes: string[] = [];
  for (const one of shown) {
    const mistake = await mistakeIn(one);
    if (mistake !== undefined) mistakes.push(`${one.page}: assay ${one.words.join(' ')}: ${mistake}`);
  }

  expect(shown.length).toBeGreaterThan(150);
  expect(mistakes).toEqual([]);
}, 120_000);

test.each([
  ['frobnicate', /no command frobnicate/],
  ['score x.jsonl --frobnicate', /no option --frobnicate/],
  ['labels import x.csv --frobnicate', /labels import has no option --frobnicate/],
])('a page that shows `assay %s` is found', async (command, mistake) => {
  expect(await mistakeIn({ page: 'x.md', words: wordsOf(command) })).toMatch(mistake);
});
