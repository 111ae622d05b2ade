/** Canaries of the rules of plain English: each rule finds what breaks it, and leaves good sentences alone. */
import { expect, test } from 'vitest';
import { sentencesOf } from './passages.ts';
import { mistakeIn } from './rules.ts';

test.each([
  ['What is kept of a conversation.', /begin with/],
  ['Whoever asks waits.', /begin with/],
  ['Those that are to run in shadow.', /begin with/],
  ['Of a suite whose source is not at hand.', /begin with/],
  ['Where nobody asked, nothing is said.', /begin with/],
  ['By which it is recognised.', /begin with/],
  ['Writes the schemas anew.', /"again"/],
  ['All but for the last.', /"except"/],
  ['Gone for good.', /permanently/],
  ['It can not be read.', /cannot/],
  ['The queue is let go.', /released/],
  ['A span that comes again.', /duplicate/],
  [`${'one word after another '.repeat(12)}.`, /split it: it has 49 words/],
])('%s', (sentence, mistake) => {
  expect(mistakeIn(sentence)).toMatch(mistake);
});

test.each([
  'Bytes accepted but not yet scored.',
  'Whose turn is it?',
  'What happened?',
  'Where two spans disagree, the tool writes.',
  'Removes queued commands that match, and returns them.',
])('%s is fine', (sentence) => {
  expect(mistakeIn(sentence)).toBeUndefined();
});

const SOURCE = `/**
 * Holds what is open. See \`a.b. C\`.
 *
 *     What is an example is not prose.
 *
 * Of two,
 * the second.
 */
export const a = 'What a string'; // What stands behind code is not looked at.
  /** Whose it is. */
  readonly b: string;
  // First line
  // and second. Third one.
`;

test('sentences of comments: joined over lines, without examples and code', () => {
  expect(sentencesOf('a.ts', SOURCE).map(({ line, text }) => `${line} ${text}`)).toEqual([
    '2 Holds what is open.',
    '2 See CODE.',
    '6 Of two, the second.',
    '10 Whose it is.',
    '12 First line and second.',
    '12 Third one.',
  ]);
});

const PAGE = `# A page

One paragraph
over two lines. A second sentence, e.g. this one.

- an item with [a link](https://example.org/What)
- another

| name | meaning |
|---|---|
| a | What it is |

\`\`\`sh
What is code
\`\`\`
`;

test('sentences of Markdown: paragraphs, items and cells, without fences and links', () => {
  expect(sentencesOf('a.md', PAGE).map(({ line, text }) => `${line} ${text}`)).toEqual([
    '1 A page',
    '3 One paragraph over two lines.',
    '3 A second sentence, e.g. this one.',
    '6 an item with a link',
    '7 another',
    '9 name',
    '9 meaning',
    '11 What it is',
  ]);
});
