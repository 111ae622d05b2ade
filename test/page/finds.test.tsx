/** Finds on the page: the strip above a narrowed list, and the section about failures. */
import { expect, test } from 'vitest';
import type { CommonAnswer, FindJson, FindsAnswer } from '../../src/api/finds.ts';
import { listQueryOf } from '../../src/page/conversations/conversation-filters.tsx';
import { FactStrip, SetApart } from '../../src/page/conversations/set-apart.tsx';
import { FoundOf } from '../../src/page/failures/finds.tsx';
import type { Place } from '../../src/page/shell/place.ts';
import { countOf, markupOf, wordsOf } from './shown.tsx';

const AT = '2026-11-27T10:00:00.000Z';
const placeAt = (search: string): Place => ({
  view: 'conversations',
  conversation: undefined,
  query: new URLSearchParams(search),
});

function find(fact: string, changes: Partial<FindJson> = {}): FindJson {
  return {
    ...{ fact, says: '4 times as often (2 to 8) among these: 12 of 37, against 60 of 800 others', also: [] },
    ...{ within: { count: 12, of: 37 }, others: { count: 60, of: 800 }, lift: { value: 4, low: 2, high: 8 } },
    ...{
      chance: 1e-6,
      conversation_ids: ['c 1', 'c/2'],
      link: `/conversations?agent=shop&fact=${encodeURIComponent(fact)}`,
    },
    ...changes,
  };
}

function common(finds: readonly FindJson[], changes: Partial<CommonAnswer> = {}): CommonAnswer {
  return {
    ...{ agent: 'shop', agents: 1, since: AT, until: AT, conversations: 837, within: 37, others: 800, looked_at: 90 },
    ...{ cut: false, says: 'What sets these 37 apart:', troubles: [], finds, ...changes },
  };
}

test('the strip has six facts at most, each the way to its conversations within the filters', () => {
  const finds = Array.from({ length: 9 }, (_, at) => find(`tool: t${at}`));
  const strip = <FactStrip common={common(finds)} place={placeAt('came_out=bad&fact=a&columns=cost')} />;

  expect(countOf(strip, /<a /)).toBe(6);
  expect(markupOf(strip)).toContain(
    'href="/conversations?came_out=bad&amp;columns=cost&amp;fact=a&amp;fact=tool%3A+t0"',
  );
  expect(wordsOf(strip)).toMatch(/^What sets these 37 apart:.*tool: t0 4 ×/);
  expect(wordsOf(strip)).not.toContain('shop');
  const ofTwo = <FactStrip common={common(finds, { agents: 2 })} place={placeAt('came_out=bad')} />;
  expect(wordsOf(ofTwo)).toMatch(/apart: Of one agent, shop/);
});

test('where nothing is found the strip says so, and without others to compare with it says nothing', () => {
  const nothing = common([], { says: 'Nothing sets these 37 apart.' });
  expect(wordsOf(<FactStrip common={nothing} place={placeAt('agent=shop')} />)).toBe('Nothing sets these 37 apart.');
  for (const changes of [{ within: 0 }, { others: 0 }])
    expect(markupOf(<FactStrip common={common([], changes)} place={placeAt('')} />)).toBe('');
});

test('a list that is not narrowed asks for nothing, and a narrowed one with its own filters', () => {
  for (const search of ['', 'agent=shop&since=1d', 'order=worst'])
    expect(markupOf(<SetApart place={placeAt(search)} />)).toBe('');
  expect(wordsOf(<SetApart place={placeAt('came_out=missed')} />)).toContain('Looking for');
  expect(listQueryOf(placeAt('fact=a&fact=b')).getAll('fact')).toEqual(['a', 'b']);
});

const HOSTILE = 'error message: <img src=x onerror=alert(1)>\u202e';

test('facts are text, whatever spans wrote into them', () => {
  const finds = [find(HOSTILE, { also: [HOSTILE] })];
  const strip = <FactStrip common={common(finds)} place={placeAt('came_out=bad')} />;
  const section = <FoundOf answer={answer([{ source: 'new', ...find(HOSTILE, { also: [HOSTILE] }) }])} />;
  for (const shown of [strip, section]) {
    expect(countOf(shown, /<img/)).toBe(0);
    expect(wordsOf(shown)).toContain('U+202E');
  }
});

function answer(finds: FindsAnswer['finds'], changes: Partial<FindsAnswer> = {}): FindsAnswer {
  return {
    ...{ agent: 'shop', since: AT, until: AT, conversations: 837, looked_at: 90, cut: false },
    sources: [
      { source: 'criteria_failed', conversations: 40, others: 700 },
      { source: 'came_out_bad', conversations: 37, others: 800 },
    ],
    ...{ finds, ...changes },
  };
}

test('finds stand by the reason why their conversations were looked at, with the way to the list and to five', () => {
  const section = (
    <FoundOf
      answer={answer([
        { source: 'criteria_failed', ...find('user: corrects') },
        { source: 'came_out_bad', ...find('tool: refund', { also: ['last in a turn: refund'] }) },
      ])}
    />
  );
  expect(wordsOf(section)).toMatch(
    /What sets failures apart shop.*Came out bad: 37 conversations.*tool: refund 4 times as often.*with it: last in a turn: refund.*Partial or hard failure: 40/,
  );
  const markup = markupOf(section);
  expect(markup).toContain('href="/conversations?agent=shop&amp;fact=tool%3A+refund"');
  expect(markup).toContain('href="/conversations/c%2F2?agent=shop&amp;fact=user%3A+corrects"');
});

test('a link of an answer leads to the list of this page, and nowhere else', () => {
  const markup = markupOf(
    <FoundOf answer={answer([{ source: 'new', ...find('tool: a', { link: 'https://evil.example/?fact=a' }) }])} />,
  );
  expect(markup).not.toContain('evil');
  expect(markup).toContain('href="/conversations?fact=a"');
});

test('nothing found is said, and so is that too little is known', () => {
  expect(wordsOf(<FoundOf answer={answer([])} />)).toContain('Nothing sets them apart.');
  expect(wordsOf(<FoundOf answer={answer([], { sources: [] })} />)).toContain('too few to compare');
});
