/** Texts of others, figures and tables, as every view shows them. */
import { expect, test } from 'vitest';
import { Command } from '../../src/page/text/command.tsx';
import { FaultEstimate, ScoreEstimate, ShareEstimate } from '../../src/page/text/estimate.tsx';
import { OutcomeMark, VerdictMark } from '../../src/page/text/outcome.tsx';
import { LongText, SpanText } from '../../src/page/text/span-text.tsx';
import { Table } from '../../src/page/text/table.tsx';
import { WordMark } from '../../src/page/text/word-mark.tsx';
import { countOf, markupOf, wordsOf } from './shown.tsx';

test('a text of others is text, isolated in its direction, whatever it has', () => {
  const text = '<img src=x onerror=alert(1)> & "quoted"';

  expect(wordsOf(<SpanText text={text} />)).toBe(text);
  expect(markupOf(<SpanText text={text} />)).toMatch(/^<bdi dir="auto" class="span-text">&lt;img /);
  expect(countOf(<SpanText text={text} />, /<img/)).toBe(0);
});

test('characters that act without being seen are written out, and many of them are counted', () => {
  expect(wordsOf(<SpanText text={'a\u202eb'} />)).toMatch(/^aU\+202E.*b$/);
  expect(wordsOf(<SpanText text={'\u200b'.repeat(9)} />)).toContain('and 3 more');
  // Each run is an element: a text of nothing else must not fill the document with them.
  expect(countOf(<SpanText text={'x\u202e'.repeat(150)} />, /hidden-character/)).toBeLessThanOrEqual(12);
});

test.each([
  ['short', 10, 'short'],
  ['exactly10!', 10, 'exactly10!'],
  ['longer than ten', 10, 'longer tha…'],
  ['half a pair 😀', 13, 'half a pair \ufffd…'],
])('a text within a sentence ends with an ellipsis where it is longer: %s', (text, charactersMax, shown) => {
  expect(wordsOf(<SpanText text={text} charactersMax={charactersMax} />)).toBe(shown);
});

test('a text alone in its element takes the class of the element', () => {
  expect(markupOf(<SpanText in="p" class="aside" text="x" />)).toBe(
    '<p class="aside"><bdi dir="auto" class="span-text">x</bdi></p>',
  );
});

test('a long text is shown from its beginning, with its length', () => {
  const text = 'word '.repeat(10_000);

  expect(markupOf(<LongText text={text} />).length).toBeLessThan(8_000);
  expect(wordsOf(<LongText text={text} />)).toMatch(/46,000 characters more Show more To the end$/);
  expect(wordsOf(<LongText text="all of it" />)).toBe('all of it');
});

test('a text that the answer cut says so, because only the service knows how long it is', () => {
  expect(wordsOf(<LongText text="the beginning…" whole="/api/v1/text/c" />)).toBe(
    'the beginning the text is longer than this Show more To the end',
  );
  // An ellipsis of the agent itself is no cut.
  expect(wordsOf(<LongText text="well…" />)).toBe('well…');
});

test('a payload can be scrolled by the keyboard, words need not', () => {
  expect(markupOf(<LongText text="{}" isCode />)).toContain('<pre dir="auto" class="payload" tabindex="0">');
  expect(markupOf(<LongText text="words" />)).toContain('<div dir="auto" class="words">');
});

const ESTIMATE = { value: 0.8142, low: 0.799, high: 0.828, n: 1_200 };

test.each([
  ['a share', ShareEstimate, '81.4 % (79.9–82.8)'],
  ['a score', ScoreEstimate, '0.814 (0.799–0.828)'],
  ['faults of a hundred, from the share without', FaultEstimate, '18.6 (17.2–20.1)'],
])('%s is never without its interval and what it rests on', (_, Estimate, words) => {
  expect(wordsOf(<Estimate estimate={ESTIMATE} />)).toBe(words);
  expect(markupOf(<Estimate estimate={ESTIMATE} />)).toContain('title="95 % interval, from 1,200 evaluations"');
});

test('a figure that is not known is words, and no zero', () => {
  expect(wordsOf(<ShareEstimate estimate={undefined} />)).toBe('not known');
  expect(wordsOf(<ScoreEstimate estimate={undefined} />)).toBe('not known');
});

test('an interval below nothing has no dash that would read as a minus', () => {
  expect(wordsOf(<ScoreEstimate estimate={{ value: -0.1, low: -0.2, high: 0.05, n: 9 }} />)).toBe(
    '−0.100 (−0.200 to 0.050)',
  );
});

test('an outcome has its word for those who listen, also where only its shape is seen', () => {
  const terse = <OutcomeMark outcome="hard_failure" because="timeout" isTerse />;

  expect(wordsOf(terse)).toBe('hard failure: timeout');
  expect(markupOf(terse)).toContain('title="hard failure: timeout"');
  expect(markupOf(terse)).toContain('class="only-heard"');
  expect(wordsOf(<OutcomeMark outcome="no_fault_found" />)).toBe('no fault found');
  expect(wordsOf(<VerdictMark verdict="not_applicable" />)).toBe('–not applicable');
});

test('a conclusion is a word; its mark is for the eye alone', () => {
  expect(markupOf(<WordMark kind="worse" mark="▼" words="worse" />)).toBe(
    '<span class="word worse"><span class="mark" aria-hidden="true">▼</span>worse</span>',
  );
});

test('a table names its columns; one with a label is a region that scrolls by the keyboard', () => {
  const row = (
    <tr>
      <td>1</td>
    </tr>
  );
  const plain = <Table heads={{ Figure: 'only-heard', A: 'number' }}>{row}</Table>;
  const framed = (
    <Table class="criteria" heads={{ A: '' }} label="Criteria of x">
      {row}
    </Table>
  );

  expect(markupOf(plain)).toMatch(/^<table><thead><tr><th scope="col"><span class="only-heard">Figure<\/span><\/th>/);
  expect(markupOf(plain)).toContain('<th scope="col" class="number">A</th>');
  expect(markupOf(framed)).toMatch(
    /^<section class="table-frame" tabindex="0" aria-label="Criteria of x"><table class="criteria">/,
  );
});

test('a command is text, and has a button that copies it', () => {
  expect(wordsOf(<Command text="npx assay <x>" />)).toBe('npx assay <x>Copy');
  expect(wordsOf(<Command text="x" label="Copy the diff" />)).toBe('xCopy the diff');
});
