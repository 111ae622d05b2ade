/** Help in two levels: twelve commands first, the others by `assay more`; each of them works. */
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { COMMANDS, GROUPS } from '../../src/cli/commands.ts';
import { processTerminal } from '../../src/cli/terminal.ts';
import { assayHere } from '../assay-here.ts';

/** Headings, and the names of commands below them. */
function groupsIn(help: string): Readonly<Record<string, readonly string[]>> {
  const parts = help.split(/^(?=[A-Z][A-Za-z ]+:$)/m).filter((part) => !/^(?:Usage|Options)/.test(part));
  return Object.fromEntries(
    parts.map((part) => [
      part.split(':')[0],
      [...part.matchAll(/^ {2}([a-z-]+)(?= |$)/gm)].map(([, name]) => name ?? ''),
    ]),
  );
}

test('each command has a group in the table, and the table has no other', async () => {
  const program = new Command();
  for (const add of new Set(await Promise.all(Object.values(COMMANDS).map(([, load]) => load()))))
    add(program, processTerminal());

  expect(program.commands.map((command) => command.name()).toSorted()).toEqual(Object.keys(COMMANDS).toSorted());
});

test('--help shows the twelve commands of daily work, and more the others', async () => {
  const help = groupsIn((await assayHere(['--help'])).stdout);
  const more = groupsIn((await assayHere(['more'])).stdout);

  expect(help).toEqual({
    Begin: ['init', 'serve', 'demo'],
    'Look at conversations': ['watch', 'explain', 'inspect', 'doctor'],
    'Improve suites': ['suite', 'score', 'estimate'],
    'Release versions': ['run', 'gate'],
  });
  expect(Object.keys({ ...help, ...more })).toEqual(Object.keys(GROUPS));
  const all = [...Object.values(help), ...Object.values(more)].flat();
  expect(all).toEqual(Object.keys(COMMANDS));
});

test('help of a command, and a misspelled name, know the commands of both levels', async () => {
  const [help, misspelled] = [await assayHere(['help', 'token']), await assayHere(['validaet'])];

  expect([help.status, help.stdout]).toEqual([0, expect.stringContaining('Usage: assay token')]);
  expect([misspelled.status, misspelled.stderr]).toEqual([2, expect.stringContaining('Did you mean validate?')]);
});
