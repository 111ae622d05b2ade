/** Verdicts, outcomes and causes are handled where the compiler sees whether a kind is missing. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { CLOSE_CAUSES, DUE_CAUSES, UNSCORED_CAUSES } from '../src/model/causes.ts';
import { OUTCOMES, VERDICTS } from '../src/model/evaluation.ts';
import { TURN_FATES } from '../src/model/events/scoring-events.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const KINDS = [VERDICTS, OUTCOMES, CLOSE_CAUSES, DUE_CAUSES, UNSCORED_CAUSES, TURN_FATES];
// `because` often gives the reason of something else.
const COMPARED = new RegExp(
  `(?:verdict|outcome|(?<!\\bbe)cause|unscoredBecause|fate)\\s*[!=]==\\s*'(?:${KINDS.flat().join('|')})'`,
  'i',
);
/**
 * A judge's verdict compared with people's labels, and a remark on a criterion, is a pass or a fail and nothing else.
 */
const OF_TWO_KINDS = [
  'src/statistics/calibrate/confusion.ts',
  'src/statistics/calibrate/pair-up.ts',
  'src/cli/print-review.ts',
  'src/store/rules/labels.ts',
];
const FILES = globSync('src/**/*.{ts,tsx}', { cwd: ROOT });
const textOf = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

test('no kind is picked out by a comparison, which a new kind would pass by: write a table or a switch of all kinds, or ask decision.ts or severity.ts of the model', () => {
  const files = FILES.filter((file) => !OF_TWO_KINDS.includes(file));

  expect(files.filter((file) => COMPARED.test(textOf(file)))).toEqual([]);
});

test.each([
  "if (verdict === 'fail') failed.push(name);",
  "evaluation.outcome !== 'unscored'",
  ".filter(([, { verdict }]) => verdict === 'pass' || verdict === 'error')",
  "sealed: closed.cause === 'size',",
  "if (closeCause === 'pressure') return;",
  "conversation.dueAt !== undefined && conversation.dueCause === 'idle'",
  "row.unscoredBecause === 'moved'",
  "if (fate !== 'stored' && fate !== 'no-agent-steps') late += 1;",
])('it finds %s', (code) => {
  expect(code).toMatch(COMPARED);
});

test.each(["if (because === 'size') return;", "outcome === 'appended'"])('it lets %s be', (code) => {
  expect(code).not.toMatch(COMPARED);
});

/**
 * Objects whose keys are kinds, with the text after them. A pass or a fail alone is a decision, which has no other
 * kinds.
 */
function tablesOfKinds(text: string): readonly { readonly keys: readonly string[]; readonly after: string }[] {
  return [...text.matchAll(/\{/g)].flatMap(({ index }) => {
    const end = closingBrace(text, index);
    const keys = [...outermost(text.slice(index + 1, end)).matchAll(/(?:^|,)\s*'?([\w-]+)'?\s*:/g)].map(
      ([, key = '']) => key,
    );
    const isOfKinds = KINDS.some((kinds) => keys.every((key) => key === 'unknown' || new Set<string>(kinds).has(key)));
    const isDecision = keys.every((key) => key === 'pass' || key === 'fail');
    return keys.length > 1 && isOfKinds && !isDecision ? [{ keys, after: text.slice(end + 1) }] : [];
  });
}

function closingBrace(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    else if (text[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return text.length;
}

/** Without bracketed text and without comments. */
function outermost(text: string): string {
  let depth = 0;
  let kept = '';
  for (const character of text.replaceAll(/\/\/.*|\/\*[\s\S]*?\*\//g, '')) {
    if ('}])'.includes(character)) depth -= 1;
    if (depth === 0) kept += character;
    if ('{[('.includes(character)) depth += 1;
  }
  return kept;
}

function incomplete(text: string): readonly string[] {
  const isComplete = (after: string) => /^\s*(?:as const )?satisfies\s/.test(after);
  return tablesOfKinds(text).flatMap(({ keys, after }) => (isComplete(after) ? [] : [keys.join(' ')]));
}

test('a table of kinds has all of them, whoever walks it: write `satisfies Record<…>` behind it', () => {
  const found = FILES.flatMap((file) => incomplete(textOf(file)).map((keys) => `${file}: ${keys}`));

  expect(found).toEqual([]);
  expect(FILES.flatMap((file) => tablesOfKinds(textOf(file))).length).toBeGreaterThan(10);
});

test.each([
  'const WEIGHTS = { hard_failure: 2, partial_failure: 1 };\nfor (const [outcome, weight] of Object.entries(WEIGHTS)) add(outcome as Outcome, weight);',
  "for (const [cause, text] of Object.entries({ settled: 'a', idle: f({ x: 1 }) } as Record<CloseCause, string>)) say(text);",
  "const SHOWN: { [verdict: string]: string } = {\n  pass: 'ok', // good\n  'not_applicable': 'n/a',\n};",
])('it finds %s', (code) => {
  expect(incomplete(code)).not.toEqual([]);
});
