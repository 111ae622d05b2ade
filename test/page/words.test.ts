/** Texts from elsewhere as the page words them, and as it puts them into a command. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { visibleText, writtenOut } from '../../src/model/visible-text.ts';
import { ignoredIn } from '../../src/page/shell/ignored-note.tsx';
import { placeOf } from '../../src/page/shell/place.ts';
import { errorText } from '../../src/page/text/error-text.ts';
import { withOutcomeWords } from '../../src/page/text/outcome.tsx';
import { quotedForShell } from '../../src/page/text/quoted-for-shell.ts';

test.each([
  'conv-1',
  '-1',
  '',
  "it's",
  '100% \\ $(id) `id` !x',
  'a\u202eb',
  '\u202e',
  "'\u200b'",
  'line\nbreak\n',
  'a\u0007\u001b[31mb',
  'tag\u{e0041}',
  'ü 👩‍👧',
])('a shell takes %j as one word, and the command has nothing that a terminal obeys', (id) => {
  const quoted = quotedForShell(id);

  expect(execFileSync('sh', ['-c', `printf %s ${quoted}`], { encoding: 'utf8' })).toBe(id);
  expect(visibleText(quoted)).toBe(quoted);
});

test('hidden characters are written out where there is nothing but text', () => {
  expect([writtenOut('v1'), writtenOut('v\u202e\u200b1'), writtenOut('👩‍👧')]).toEqual([
    'v1',
    'v[U+202E U+200B]1',
    '👩‍👧',
  ]);
});

test.each([
  ['500: 500 The server had an error', '500 The server had an error'],
  ['Error: Error', 'Error'],
  ['Timeout: Timeouts are short', 'Timeout: Timeouts are short'],
  ['500: The server', '500: The server'],
  ['no kind', 'no kind'],
  [': x', ': x'],
])('the error %s is said once: %s', (error, said) => {
  expect(errorText(error)).toBe(said);
});

test('outcomes in a sentence have the words of the page, and other names stay', () => {
  expect(withOutcomeWords('Score 0 makes this a hard_failure (failed); no_crash failed, unscored.')).toBe(
    'Score 0 makes this a hard failure (failed); no_crash failed, unscored.',
  );
});

test.each([
  ['/conversations?foo=1&order=worst&agent=a', ['foo=1']],
  ['/conversations/x?verdict=v&step=s&beside=golden&columns=none', []],
  ['/suites?suite=nope&weights=a:1', ['suite=nope']],
  ['/suites?suite=care&off=a', []],
  ['/versions?tab=experiments&a=1&b=2&case=3&order=worst', ['order=worst']],
  ['/?suite=nope', []],
  ['/review?because=errors&criterion=c', []],
])('%s: what no view goes by is %j', (address, ignored) => {
  const place = placeOf(new URL(address, 'http://assay'));
  if (place === undefined) throw new Error('it is a place');

  expect(ignoredIn(place, { suites: ['care'] })).toEqual(ignored);
});
