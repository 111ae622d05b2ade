/** Exporters that nobody recorded: counts of what turns show of them, and the entry that follows. */
import { expect, test } from 'vitest';
import { entryFor, noteExporters, type SeenExporter } from '../../src/model/exporter-traffic.ts';
import type { Turn } from '../../src/model/turn.ts';
import { aFailedCall, aStep, aToolCall, aTurn, spanId } from '../score/conversations.ts';

function seenIn(turns: readonly Turn[]): ReadonlyMap<string, SeenExporter> {
  const seen = new Map<string, SeenExporter>();
  for (const turn of turns) noteExporters(seen, turn);
  return seen;
}

const GIVEN = new Map([['gen_ai.tool.definitions', '[{"name":"look_up"}]']]);
const many = (turn: Turn, count: number) => Array.from({ length: count }, () => turn);

test('one tool call shows that an exporter sends them', () => {
  const tool = aStep({ kind: 'tool', spanId: spanId(7), scopeName: 'ours' });
  const call = aToolCall('look_up', { spanId: spanId(7), requestedBy: undefined });
  const turns = [aTurn({ steps: [aStep({ scopeName: 'ours' })] }), aTurn({ steps: [tool], toolCalls: [call] })];
  const ours = seenIn(turns).get('ours');

  expect(ours).toEqual({ scope: 'ours', turns: 2, speakingOfTools: 1, withTools: 1, withToolErrors: 0 });
  expect(ours && entryFor(ours)).toEqual({ scope: 'ours', lacks: ['tool_errors'] });
});

test('an exporter beside the one that shows the call is not taken for it', () => {
  const steps = [
    aStep({ kind: 'tool', spanId: spanId(7), scopeName: 'ours' }),
    aStep({ kind: 'agent', spanId: spanId(8), scopeName: 'theirs' }),
  ];
  const call = aToolCall('look_up', { spanId: spanId(7), requestedBy: undefined });
  expect(seenIn([aTurn({ steps, toolCalls: [call] })]).get('theirs')).toMatchObject({ withTools: 0 });
});

test('that it sends none takes 500 turns in which models were given tools', () => {
  const silent = aTurn({ steps: [aStep({ scopeName: 'ours', attributes: GIVEN })] });
  const plain = aTurn({ steps: [aStep({ scopeName: 'ours' })] });
  const entryOf = (turns: readonly Turn[]) => {
    const ours = seenIn(turns).get('ours');
    return ours && entryFor(ours);
  };

  expect(entryOf([...many(silent, 499), ...many(plain, 2000)])).toBeUndefined();
  expect(entryOf(many(silent, 500))).toEqual({ scope: 'ours', lacks: ['tools'] });
});

test('that it sends their errors is noted once one was seen', () => {
  const call = aFailedCall('look_up', 'no such order', { spanId: spanId(7) });
  const steps = [aStep({ kind: 'tool', spanId: spanId(7), scopeName: 'ours' })];
  const ours = seenIn([aTurn({ steps, toolCalls: [call] })]).get('ours');
  expect(ours && entryFor(ours)).toEqual({ scope: 'ours', lacks: [] });
});

test.each(['', '*', 'team.*', 'a\nb', '\u001B[31mred', '{a,b}', 'x'.repeat(201)])(
  'the exporter %j has no entry: it would mean others, or nothing',
  (scope) => {
    expect(entryFor({ scope, turns: 1, speakingOfTools: 1, withTools: 1, withToolErrors: 1 })).toBeUndefined();
  },
);
