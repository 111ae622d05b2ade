/** Canaries of the rules of plain English: each rule finds what breaks it, and leaves good sentences alone. */
import { expect, test } from 'vitest';
import { sentencesOf, wideLinesOf } from './passages.ts';
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
  ['Lets go of old data.', /deletes/],
  ['It is looked at again.', /re-evaluated/],
  ['The turns are put together again.', /reassembled/],
  ['Removes work that nobody wants.', /say what happens/],
  ['The result is held against the last release.', /compared with/],
  ['A lean to a place.', /bias/],
  ['It is counted, and told.', /reported/],
  ['A span that comes again.', /duplicate/],
  [`${'one word after another '.repeat(12)}.`, /split it: it has 49 words/],
])('%s', (sentence, mistake) => {
  expect(mistakeIn({ text: sentence, isHeading: false }, 45)).toMatch(mistake);
});

test.each([
  'Bytes accepted but not yet scored.',
  'Whose turn is it?',
  'What happened?',
  'Where two spans disagree, the tool writes.',
  'Removes queued commands that match, and returns them.',
])('%s is fine', (sentence) => {
  expect(mistakeIn({ text: sentence, isHeading: false }, 45)).toBeUndefined();
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
  /** Its owner. */
  readonly b: string;
  // First line
  // and second. Third one.
/**
 *     state     an indented row is no prose
 * open    a row of a table
 * stands alone.
 */
`;

test('a heading may begin with a question word, and has no banned words either', () => {
  expect(mistakeIn({ text: 'What a suite can know', isHeading: true }, 45)).toBeUndefined();
  expect(mistakeIn({ text: 'Beginning anew', isHeading: true }, 45)).toMatch(/"again"/);
});

test('sentences of comments: joined over lines, without examples and code', () => {
  expect(sentencesOf('a.ts', SOURCE).map(({ line, text }) => `${line} ${text}`)).toEqual([
    '2 Holds what is open.',
    '2 See CODE.',
    '6 Of two, the second.',
    '10 Its owner.',
    '12 First line and second.',
    '12 Third one.',
    '16 open    a row of a table',
    '17 stands alone.',
  ]);
});

const SETTINGS = `# First line
# goes on here. Another sentence.
host: 127.0.0.1  # Behind a value.
  # In another column.
# port: 4318
url: http://example.org/#fragment
`;

test('sentences of comments in YAML: joined over lines, without settings that are commented out', () => {
  expect(sentencesOf('a.yaml', SETTINGS).map(({ line, text }) => `${line} ${text}`)).toEqual([
    '1 First line goes on here.',
    '1 Another sentence.',
    '3 Behind a value.',
    '4 In another column.',
  ]);
});

// The example would be a mistake if it were read as prose.
const PYTHON = `"""Holds what is open. See \`a.b\`.

    What is an example is not prose.

Of two,
the second.
"""

a = 1  # Its number.
#: Time to wait.
b = """not a docstring"""

def c():
    """Returns it.

    It is there.
    """
`;

test('sentences of docstrings and comments in Python', () => {
  expect(sentencesOf('a.py', PYTHON).map(({ line, text }) => `${line} ${text}`)).toEqual([
    '1 Holds what is open.',
    '1 See CODE.',
    '5 Of two, the second.',
    '14 Returns it.',
    '16 It is there.',
    '9 Its number.',
    '10 Time to wait.',
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

test('names between backquotes, and links between dots, count as one word', () => {
  const [names, links] = ['`a`, `b` and `c`, or `d`.', '[A tool](a.md) · [B tool](b.md) · [C](c.md)'].map((text) =>
    sentencesOf('a.md', text).map((sentence) => sentence.text),
  );

  expect(names).toEqual(['CODE and CODE.']);
  expect(links).toEqual(['LINKS']);
});

test('a wide line of prose is found, and a wide table, heading, fence or link is not', () => {
  const words = 'word '.repeat(30).trim();
  const page = [
    words,
    `- ${words}`,
    `| ${words} |`,
    `# ${words}`,
    '```',
    words,
    '```',
    `- ${'x'.repeat(150)}`,
    'short',
  ];

  expect(wideLinesOf(page.join('\n')).map(({ line }) => line)).toEqual([1, 2]);
});
