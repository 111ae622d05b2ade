/** The meaning of `--agent`, and the answers that report a failure. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { errorIn } from '../../src/agent-runner/agent.ts';
import { readAgentTarget, shownTarget } from '../../src/agent-runner/agent-target.ts';
import { tempDirectory } from '../temp-directory.ts';

test.each([
  ['https://agents.example/run', { kind: 'url' }],
  ['agent.ts', { kind: 'module', exported: 'agent' }],
  ['./agent.ts#other', { kind: 'module', exported: 'other' }],
  ['node agent.ts', { kind: 'command', command: 'node agent.ts' }],
  ['python3 agent.py --fast', { kind: 'command', command: 'python3 agent.py --fast' }],
  ['my-agent', { kind: 'command', command: 'my-agent' }],
  ['node lost.ts', { kind: 'command', command: 'node lost.ts' }],
  ['lost.ts', { problem: 'lost.ts: there is no such file' }],
  ['http://', { problem: 'http:// is no URL' }],
  ['  ', { problem: expect.stringContaining('no agent is named') }],
])('%s', (text, expected) => {
  const directory = tempDirectory();
  writeFileSync(path.join(directory, 'agent.ts'), '');

  expect(readAgentTarget(text, directory)).toMatchObject(expected);
});

test('a password in a URL is not written down', () => {
  expect(shownTarget('https://ana:secret@agents.example/run?x=1')).toBe('https://agents.example/run?x=1');
  expect(shownTarget(' node agent.ts ')).toBe('node agent.ts');
});

test.each([
  [{ error: 'no' }, 'no'],
  [{ error: { message: 'no' } }, 'no'],
  [{ error: { code: 5 } }, '{"code":5}'],
  [{ error: null, answer: 'yes' }, undefined],
  [{ error: '' }, undefined],
  ['error', undefined],
  [[{ error: 'no' }], undefined],
  [null, undefined],
])('of an answer such as %j the error is %j', (answer, expected) => {
  expect(errorIn(answer)).toBe(expected);
});
