import { expect, test } from 'vitest';
import { begun, notesOf, readChangelog, released } from '../../scripts/release/changelog.ts';
import { text } from '../deploy/shipped-files.ts';
import { RELEASES } from '../../scripts/release/releases.ts';

const OPEN = `# Changelog

## 0.3.0 (unreleased)

- [BUGFIX] Store: a lock is released.
- [FEATURE] Receive: a new port.

### Store

- [CHANGE] Larger pages.

## 0.2.0 (2026-12-01)

A sentence.

### CLI

- [FEATURE] A command.
`;

test('CHANGELOG.md has its form', () => {
  expect(readChangelog(text('CHANGELOG.md')).mistakes).toEqual([]);
});

test('CHANGELOG.md has a section with its date for each release, and one for the version of package.json', () => {
  const { sections } = readChangelog(text('CHANGELOG.md'));
  const dated = sections.flatMap(({ version, date }) => (date === undefined ? [] : [{ version, date }]));
  const current: { readonly version: string } = JSON.parse(text('package.json'));

  expect(dated.toReversed()).toEqual(RELEASES.map(({ version, date }) => ({ version, date })));
  expect(sections[0]?.version).toBe(current.version);
});

test.each([
  ['an entry of two lines', '- [BUGFIX] Store: one\n  and more', /one line/],
  ['an entry that is too wide', `- [BUGFIX] Store: ${'x'.repeat(110)}`, /at most 120/],
  ['an entry without a kind', '- Store: something', /one line/],
  ['an entry without a component', '- [BUGFIX] something', /names no component/],
  ['an unknown component', '### Stores\n\n- [BUGFIX] something', /a component is one of/],
  ['a heading without a version', '## Unreleased', /a section is/],
  ['another section that is not released', '## 0.2.9 (unreleased)', /only the first/],
  ['versions in another order', '## 0.4.0 (2026-12-02)', /newest version is the first/],
])('%s is a mistake', (_what, line, mistake) => {
  const { mistakes } = readChangelog(OPEN.replace('### Store\n', `${line}\n\n### Store\n`));

  expect(mistakes).toContainEqual(expect.stringMatching(mistake));
});

test('entries above all headings are fine in the section of the next version alone', () => {
  expect(readChangelog(OPEN).mistakes).toEqual([]);
  expect(readChangelog(OPEN.replace('unreleased', '2026-12-24')).mistakes).toHaveLength(2);
});

test('a release dates its section and files entries under their components', () => {
  const dated = released(OPEN, '0.3.0', '2026-12-24');

  expect(dated.split('## 0.2.0')[0]).toBe(`# Changelog

## 0.3.0 (2026-12-24)

### Receive

- [FEATURE] A new port.

### Store

- [BUGFIX] A lock is released.
- [CHANGE] Larger pages.

`);
  expect(dated.split('## 0.2.0')[1]).toBe(OPEN.split('## 0.2.0')[1]);
  expect(readChangelog(dated).mistakes).toEqual([]);
  expect(released(dated, '0.3.0', '2026-12-24')).toBe(dated);
  expect(notesOf(dated, '0.2.0')).toBe('# Assay 0.2.0\n\nA sentence.\n\n### CLI\n\n- [FEATURE] A command.\n');
});

test('the next version begins with an empty section', () => {
  const { sections, mistakes } = readChangelog(
    begun(OPEN.replace('(unreleased)', '(2026-12-24)').replace(/^- .*(Store|Receive): .*\n/gm, ''), '0.4.0'),
  );

  expect(mistakes).toEqual([]);
  expect(sections.map(({ version, date }) => [version, date])).toEqual([
    ['0.4.0', undefined],
    ['0.3.0', '2026-12-24'],
    ['0.2.0', '2026-12-01'],
  ]);
});
