/** The two drawings of a document: what is text stays text, and neither leaves out what the other says. */
import { expect, test } from 'vitest';
import { printDocument } from '../../src/cli/print-document.ts';
import {
  command,
  type Document,
  line,
  list,
  listed,
  name,
  note,
  say,
  section,
  toned,
} from '../../src/report/documents/document.ts';
import { printed } from '../cli/printed.ts';
import { documentMarkdown } from '../../src/report/documents/document-markdown.ts';

const HOSTILE = '\u001b[31m](javascript:x) <img src=x> | @everyone `x`\n\n# Passed';

const DOCUMENT: Document = {
  title: 'A title',
  verdict: toned('bad', 'It is worse.'),
  blocks: [
    note('few cases'),
    section(say`${name('suite')}   ${2} cases`, [
      {
        is: 'table',
        align: 'lr',
        rows: [
          { head: ['criterion', 'before', ''] },
          [name('booked'), '100 %', toned('bad', 'worse')],
          { below: ['It fell', say`Cases: ${listed(['a', 'b'])}`] },
          [name('cost'), toned('aside', 'not known')],
          { short: [[say`1 unchanged: ${name('polite')}`]], folded: [[name('polite'), '50 %', '']] },
          { head: ['effort', 'before', ''] },
          ['the steps of a case', '4', ''],
        ],
      },
      line(say`What moved it: ${name('booked')}`),
      list([say`read ${command('npx assay show x')}`, 'nothing else']),
    ]),
  ],
};

const shown = (document: Document) =>
  printed(
    (terminal) => printDocument(terminal, document),
    (style, text) => (style === 'red' ? `!${text}!` : text),
  );

test('a terminal has the verdict first, tables with the same columns, and folded rows in short', () => {
  expect(shown(DOCUMENT)).toBe(`!It is worse.!
  note  few cases

  suite   2 cases

    criterion            before
    booked                100 %  !worse!
      It fell
      Cases: a, b
    cost                 not known
    1 unchanged: polite

    effort               before
    the steps of a case       4

    What moved it: booked
    read npx assay show x
    nothing else`);
});

test('Markdown has every row, and the sentences about it below the table', () => {
  expect(documentMarkdown(DOCUMENT)).toBe(`## A title

**It is worse.**

> few cases

### \`suite\`   2 cases

| criterion | before |  |
|---|---|---|
| \`booked\` | 100 % | **worse** |
| \`cost\` |  | not known |
| \`polite\` | 50 % |  |

| effort | before |  |
|---|---|---|
| the steps of a case | 4 |  |

* \`booked\`: It fell. Cases\\: \`a\`, \`b\`.

What moved it\\: \`booked\`.

* read \`npx assay show x\`
* nothing else
`);
});

test('a text from elsewhere is text, wherever a builder puts it', () => {
  const everywhere: Document = {
    title: HOSTILE,
    verdict: HOSTILE,
    blocks: [
      note(HOSTILE),
      line(say`${HOSTILE} ${name(HOSTILE)} ${toned('bad', HOSTILE)}`),
      section(HOSTILE, [
        { is: 'table', rows: [{ head: [HOSTILE, ''] }, [HOSTILE, name(HOSTILE)], { below: [HOSTILE] }] },
        list([HOSTILE, name(HOSTILE)]),
      ]),
    ],
  };
  const markdown = documentMarkdown(everywhere);
  const text = markdown.replaceAll(/`[^`\n]*`/g, '');

  expect(text).not.toMatch(/<img|(^|[^\\])\]\(|@everyone/);
  expect(markdown).not.toMatch(/^# Passed/m);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
  expect(markdown + shown(everywhere)).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  const rows = markdown.split('\n').filter((one) => one.startsWith('|'));
  expect(rows.map((row) => row.replaceAll('\\|', '').split('|').length)).toEqual([4, 4, 4]);
});
