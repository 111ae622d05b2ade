/** Two copies of one span that differ give the same turn whichever came first, whatever their difference. */
import { expect, test } from 'vitest';
import { buildTurns } from '../../../src/assemble/build-turns.ts';
import { normalize } from '../../../src/normalize/normalize.ts';
import { encodeSpans, placed, type SpanSpec } from '../../normalize/support/otlp.ts';
import { plainTurn } from './plain-turn.ts';

const CHAT = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' };
const TOOL = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'book' };

function said(room: string) {
  const call = { type: 'tool_call', id: 'x', name: 'book', arguments: { room } };
  return { ...CHAT, 'gen_ai.output.messages': [{ role: 'assistant', parts: [call] }] };
}

const PAIRS: readonly (readonly [string, Partial<SpanSpec>, Partial<SpanSpec>])[] = [
  ['the scope', { scope: 'agent' }, { scope: 'gateway' }],
  ['an evaluator’s scope', { scope: 'agent' }, { scope: 'assay' }],
  ['the parent', { parent: '8' }, { parent: '9' }],
  ['whether the parent is remote', { parent: '9' }, { parent: '9', remoteParent: true }],
  ['the links', { links: ['11'.repeat(16)] }, { links: ['22'.repeat(16)] }],
  ['the service', { resource: { 'service.name': 'a' } }, { resource: { 'service.name': 'b' } }],
  ['an attribute', { attributes: { ...CHAT, tier: 'gold' } }, { attributes: { ...CHAT, tier: 'free' } }],
  ['a number that is none', { attributes: { ...CHAT, x: Number.NaN } }, { attributes: { ...CHAT, x: Infinity } }],
  ['the arguments of a call in a structured message', { attributes: said('101') }, { attributes: said('102') }],
  [
    'structured arguments of a tool',
    { attributes: { ...TOOL, 'gen_ai.tool.call.arguments': { room: '101' } } },
    { attributes: { ...TOOL, 'gen_ai.tool.call.arguments': { room: '102' } } },
  ],
  ['what was dropped', { dropped: 0 }, { dropped: 1 }],
  ['the status', { status: 'ok' }, { status: { error: 'boom' } }],
];

test.each(PAIRS)('%s', (_what, one, other) => {
  const [a, b] = [copy(one), copy(other)];

  const turns = turnsOf(a, b);

  expect(turnsOf(b, a)).toEqual(turns);
  expect(turnsOf(a), 'the copies make no difference: the pair asks nothing').not.toEqual(turnsOf(b));
  expect([turnsOf(a), turnsOf(b)]).toContainEqual(turns);
});

function copy(spec: Partial<SpanSpec>) {
  return placed({ id: '1', attributes: CHAT, ...spec });
}

function turnsOf(...spans: readonly ReturnType<typeof copy>[]) {
  return buildTurns(normalize({ traces: encodeSpans(spans), logs: undefined })).map(plainTurn);
}
