/** States of a reply that every view has: on its way, here, and each reason why there is none. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Here, Loading } from '../../src/page/shell/here.tsx';
import { Problem } from '../../src/page/shell/problem.tsx';
import { Select } from '../../src/page/shell/select.tsx';
import { SomeFirst } from '../../src/page/shell/some-first.tsx';
import { countOf, markupOf, wordsOf } from './shown.tsx';

beforeEach(() => {
  vi.stubGlobal('location', { pathname: '/suites', search: '?since=7d' });
  vi.stubGlobal('sessionStorage', { getItem: () => null });
});
afterEach(() => vi.unstubAllGlobals());

const show = (value: string) => <b>{value}</b>;

test('before a reply has come, that is said to those who listen as well', () => {
  expect(markupOf(<Here of={{ reply: undefined }}>{show}</Here>)).toBe(
    '<p class="loading" role="status">Loading …</p>',
  );
  expect(wordsOf(<Loading words="Comparing …" />)).toBe('Comparing …');
});

test('a reply that is here is shown, and a reason in its place where it does not come', () => {
  const missing = { is: 'missing', why: 'no <b>such</b> thing' } as const;
  const otherwise = (why: string) => `instead: ${why}`;

  expect(markupOf(<Here of={{ reply: { is: 'here', value: 'x' } }}>{show}</Here>)).toBe('<b>x</b>');
  expect(wordsOf(<Here of={{ reply: missing }}>{show}</Here>)).toBe('There is nothing here no <b>such</b> thing');
  expect(
    wordsOf(
      <Here of={{ reply: missing }} otherwise={otherwise}>
        {show}
      </Here>,
    ),
  ).toBe('instead: no <b>such</b> thing');
});

test.each([
  ['forbidden', 'Your role may not see this'],
  ['missing', 'There is nothing here'],
  ['refused', 'The address of this page asks for something that the service does not know'],
  ['away', 'The service cannot answer now'],
] as const)('%s has its title and its reason, and is announced', (is, title) => {
  const problem = <Problem of={{ is, why: 'because' }} again={() => undefined} />;

  expect(wordsOf(problem)).toMatch(new RegExp(`^${title} because.*Try again$`));
  expect(markupOf(problem)).toContain('role="alert"');
  expect(wordsOf(<Problem of={{ is, why: 'because' }} />)).not.toContain('Try again');
});

test('a store that is away leaves the ways to see how the service is', () => {
  const away = { is: 'away', why: 'no store', isStore: true } as const;

  expect(markupOf(<Problem of={away} />)).toMatch(/href="\/readyz".*href="\/metrics"/);
  expect(markupOf(<Problem of={{ ...away, isStore: false }} />)).not.toContain('/readyz');
});

test('signed out, people sign in and come back to the same address; where nobody can, a token is asked for', () => {
  const why = 'a token is needed';

  expect(markupOf(<Problem of={{ is: 'signed-out', why, signIn: '/auth/login' }} />)).toContain(
    'href="/auth/login?return_to=%2Fsuites%3Fsince%3D7d"',
  );
  expect(wordsOf(<Problem of={{ is: 'signed-out', why, signIn: undefined }} />)).not.toMatch(/Sign in|Or use/);
});

test('a token that was refused is said to be that', () => {
  vi.stubGlobal('sessionStorage', { getItem: () => 'old' });

  expect(wordsOf(<Problem of={{ is: 'signed-out', why: 'x', signIn: undefined }} />)).toContain(
    'This token is not known, or it has expired.',
  );
});

test('of a long list the first rows are in the document, with the number of the rest', () => {
  const rows = (count: number) => (
    <SomeFirst of={Array.from({ length: count }, (_, index) => index)} atATime={20}>
      {(shown) => shown.map((one) => <i key={one}>{one}</i>)}
    </SomeFirst>
  );

  expect(countOf(rows(5_000), /<i>/)).toBe(20);
  expect(wordsOf(rows(5_000))).toMatch(/4,980 more Show 20 more$/);
  expect(wordsOf(rows(23))).toMatch(/3 more Show 3 more$/);
  expect(wordsOf(rows(20))).not.toContain('more');
  expect(markupOf(rows(0))).toBe('');
});

test('a choice keeps a value that nothing offers any more, and writes out what nobody would see', () => {
  const select = (value: string) => (
    <Select value={value} options={[{ value: 'v1', words: 'v1\u202e' }]} onChoose={() => undefined} />
  );

  expect(countOf(select('v1'), /<option/)).toBe(1);
  expect(markupOf(select('gone'))).toMatch(/<option value="gone" selected>gone<\/option>/);
  expect(markupOf(select('v1'))).not.toContain('\u202e');
});
