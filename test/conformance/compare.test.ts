import { expect, test } from 'vitest';
import type { Json } from '../../scripts/capture/otlp-json.ts';
import { compareExport, type Field } from '../../scripts/conformance/compare.ts';
import { exportedText } from '../../scripts/conformance/exported-text.ts';
import { understandRecorded } from '../../src/engine/recorded/understand-recording.ts';
import { recordedRequest } from '../../src/offline/recording.ts';
import { exportOf, SCRIPT } from './example-export.ts';

async function compared(request: Json): Promise<ReadonlyMap<string, Field>> {
  const { conversations } = await understandRecorded(recordedRequest(JSON.stringify(request), 'example'));
  return new Map(compareExport(SCRIPT, exportedText([request]), conversations).map((field) => [field.name, field]));
}

test('a field that was sent and is read as the script has it is right', async () => {
  const fields = await compared(exportOf());

  for (const name of ['turns', 'conversation', 'agent', 'question', 'answer', 'tools', 'arguments', 'tool errors'])
    expect(fields.get(name)?.state, name).toBe('right');
  for (const name of ['model calls', 'input tokens', 'output tokens']) expect(fields.get(name)?.state).toBe('right');
});

test('a field whose value is nowhere in the export was not sent', async () => {
  const fields = await compared(exportOf());

  expect(fields.get('cached tokens')?.state).toBe('not sent');
  expect(fields.get('reasoning tokens')?.state).toBe('not sent');
});

test('a value that was sent where Assay does not look for it is wrong, and both are kept', async () => {
  const elsewhere = exportOf((name, { 'gen_ai.agent.name': agent, ...others }) => ({
    ...others,
    ...(name === 'agent' && agent !== undefined ? { 'my.own.actor': agent } : {}),
  }));
  const fields = await compared(elsewhere);

  expect(fields.get('agent')).toMatchObject({ state: 'wrong', expected: 'order_bot', read: null });
});

test('a count is sent as the sum of a turn as well', () => {
  const text = exportedText([{ resourceSpans: [{ scopeSpans: [{ spans: [{ name: 'all', sum: '82411' }] }] }] }]);
  const sum = compareExport(SCRIPT, text, []).find(({ name }) => name === 'input tokens');

  expect(sum?.state).toBe('wrong');
});

test('a number inside a longer one is another number', () => {
  const text = exportedText([{ a: '1411370', b: 'took 0.41137 s' }]);

  expect(text.hasNumber(41_137)).toBe(false);
  expect(exportedText([{ a: '{"input":41137}' }]).hasNumber(41_137)).toBe(true);
});

test('what a resource says is not what the spans say', () => {
  const text = exportedText([{ resource: { attributes: [{ key: 'service.name', value: 'order_bot' }] } }]);

  expect(text.hasName('order_bot')).toBe(false);
});

test('nothing is said of an export without spans', () => {
  const fields = compareExport(SCRIPT, exportedText([]), []);

  expect(new Set(fields.map(({ state }) => state))).toEqual(new Set(['not sent']));
});
