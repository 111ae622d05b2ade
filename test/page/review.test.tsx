/** The bar under which a person answers: what may be pressed, what is hidden, and what is said of the verdict. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AnswerBar, ANSWERS } from '../../src/page/review/answer-bar.tsx';
import { keepLabeller, keptLabeller } from '../../src/page/review/labeller.ts';
import { countOf, markupOf, verdict, wordsOf } from './shown.tsx';

beforeEach(() => vi.stubGlobal('window', {}));
afterEach(() => vi.unstubAllGlobals());

type BarProps = Parameters<typeof AnswerBar>[0];

const bar = (review: Partial<BarProps['review']>, changes: Partial<BarProps> = {}) => (
  <AnswerBar
    review={{
      ...{ answer: undefined, isSending: false, isSeen: false, elsewhere: undefined },
      ...{ say: () => undefined, undo: () => undefined, move: () => undefined, ...review },
    }}
    question="Was it <i>kind</i>?"
    verdict={undefined}
    note=""
    onNote={() => undefined}
    {...changes}
  />
);

test('before an answer the verdict is hidden, every answer can be given, and going on is skipping', () => {
  expect(wordsOf(bar({}))).toMatch(/^Was it <i>kind<\/i>\?.*Skipj.*The verdict is hidden until you have answered\.$/);
  expect(countOf(bar({}), /class="answer"/)).toBe(ANSWERS.length);
  expect(countOf(bar({}), /disabled/)).toBe(0);
});

test('while an answer is on its way, none can be given', () => {
  // The answers, and the way back.
  expect(countOf(bar({ isSending: true }), /disabled/)).toBe(ANSWERS.length + 1);
});

test('an answer stands until it is taken back', () => {
  expect(markupOf(bar({ answer: 'fail' }))).toMatch(/class="answer chosen" aria-pressed="true" disabled/);
  expect(countOf(bar({ answer: 'fail' }), /class="answer/)).toBe(ANSWERS.length + 2);
  expect(wordsOf(bar({ answer: 'fail' }))).toMatch(/Nextj/);
});

test.each([
  ['agrees', verdict('kind', { verdict: 'fail' }), 'It says the same: why kind'],
  ['says otherwise', verdict('kind', { verdict: 'pass' }), 'It says otherwise: why kind'],
  ['has no verdict', undefined, 'The criterion has no verdict here.'],
])('after the answer it is said whether the criterion %s', (_, given, words) => {
  expect(wordsOf(bar({ answer: 'fail' }, { verdict: given }))).toContain(words);
});

test('an answer that was taken back after its verdict was seen would not be blind', () => {
  expect(wordsOf(bar({ isSeen: true }))).toContain('another answer would not be blind');
});

test('an answer that was given elsewhere is quoted before it is replaced', () => {
  const label = { label_id: 'l', suite: 's', criterion: 'c', label: 'not_applicable', by: 'ana' } as const;
  const elsewhere = { ...label, at: '2026-11-27T10:00:00Z' };

  expect(wordsOf(bar({ elsewhere }))).toContain('You said “Does not apply” elsewhere');
  expect(markupOf(bar({ elsewhere }))).toContain('role="alert"');
});

test('the name of the person is kept in this browser, and no more of it than a label takes', () => {
  const kept = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  });

  expect(keptLabeller()).toBe('');
  keepLabeller('a'.repeat(500));
  expect(keptLabeller()).toBe('a'.repeat(200));
});
