import { expect, test } from 'vitest';
import { headRow, printTable } from '../../src/cli/print-table.ts';
import type { Terminal } from '../../src/cli/terminal.ts';

function terminal() {
  const lines: string[] = [];
  const shown: Terminal = {
    out: (text) => lines.push(text),
    json: () => undefined,
    err: () => undefined,
    paint: (style, text) => `<${String(style)}>${text}</>`,
    isLive: false,
    progress: () => undefined,
    progressDone: () => undefined,
  };
  return { shown, lines };
}

test('columns are as wide as their widest cell, with figures to the right, and colours take no room', () => {
  const { shown, lines } = terminal();

  printTable(shown, [headRow('name', 'n'), ['a', { text: '1000', style: 'red' }], ['longer', '1']], {
    align: 'lr',
    indent: 2,
  });

  expect(lines).toEqual(['  <dim>name</>       <dim>n</>', '  a       <red>1000</>', '  longer     1']);
});

test('the last cell of a shorter row runs on, and a line between rows stays as it is', () => {
  const { shown, lines } = terminal();

  printTable(shown, [['a', '1', '2'], 'between', ['b', 'a reason that is longer than figures']], { align: 'lrr' });

  expect(lines).toEqual(['    a  1  2', 'between', '    b  a reason that is longer than figures']);
});

test('a column has at least the width that it is given', () => {
  const { shown, lines } = terminal();

  printTable(shown, [['a', 'b']], { indent: 0, min: [4] });

  expect(lines).toEqual(['a     b']);
});

test('nothing that a terminal would obey comes through a cell, and no cell is longer than it may be', () => {
  const { shown, lines } = terminal();

  printTable(shown, [[`\u001b[2Jname\nof two lines`, { text: 'x'.repeat(50), max: 10 }]], { indent: 0 });

  expect(lines).toEqual([`name of two lines  ${'x'.repeat(9)}…`]);
});
