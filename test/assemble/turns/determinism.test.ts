/** The same spans give the same turns, in any order and with any duplicates. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildTurns } from '../../../src/assemble/build-turns.ts';
import { normalize } from '../../../src/normalize/normalize.ts';
import { encodeSpans, type FixtureTrace, placed, type PlacedSpan, readFixture } from '../../normalize/support/otlp.ts';
import { plainTurn } from './plain-turn.ts';
import { rounds } from '../../rounds.ts';

const ROOT = path.resolve(import.meta.dirname, '../../fixtures/genai');

function traces(): readonly (readonly [string, FixtureTrace])[] {
  return readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.expected.json'))
    .map((file) => file.replace('.expected.json', ''))
    .flatMap((name) => readFixture(path.join(ROOT, name)).map((trace) => [name, trace] as const));
}

function turnsOf(spans: readonly PlacedSpan[], logs: Uint8Array | undefined) {
  return buildTurns(normalize({ traces: encodeSpans(spans), logs })).map(plainTurn);
}

describe.each(traces())('%s', (_name, trace) => {
  const expected = turnsOf(trace.spans, trace.logs);

  test('gives equal turns for any order and any duplicates of its spans', () => {
    const shuffled = fc
      .tuple(fc.shuffledSubarray([...trace.spans], { minLength: trace.spans.length }), fc.subarray([...trace.spans]))
      .chain(([all, again]) => fc.shuffledSubarray([...all, ...again], { minLength: all.length + again.length }));

    fc.assert(
      fc.property(shuffled, (spans) => {
        expect(turnsOf(spans, trace.logs)).toEqual(expected);
      }),
      { numRuns: 15 },
    );
  });
});

function calling(args: object) {
  return [{ role: 'assistant', parts: [{ type: 'tool_call', name: 'f', arguments: args }] }];
}

/** Small traces of every shape: wrong parents, cycles, equal times, copies of one span that differ. */
const anySpan = fc
  .record({
    id: fc.constantFrom('1', '2', '3', '4', '5', '6'),
    parent: fc.option(fc.constantFrom('1', '2', '3', '4', '5', '6', 'ff'), { nil: '' }),
    from: fc.integer({ min: 0, max: 6 }),
    to: fc.integer({ min: 0, max: 6 }),
    operation: fc.constantFrom('invoke_agent', 'chat', 'execute_tool', 'agent_step', 'invoke_workflow', 'none'),
    name: fc.constantFrom('f', 'g'),
    callId: fc.option(fc.constantFrom('x', 'y'), { nil: '' }),
    said: fc.constantFrom<unknown>('', 'hi', JSON.stringify(calling({})), calling({ a: 1 }), calling({ a: 2 })),
    conversation: fc.constantFrom('', 'c', 'd'),
    tokens: fc.integer({ min: -1, max: 2 }),
    isOwn: fc.nat(9).map((chance) => chance === 0),
    service: fc.constantFrom('s', 't'),
    remote: fc.boolean(),
    failed: fc.boolean(),
  })
  .map((draw): PlacedSpan => {
    const span = placed({
      id: draw.id,
      ...(draw.parent === '' ? {} : { parent: draw.parent }),
      from: draw.from,
      to: draw.to,
      scope: draw.isOwn ? 'assay' : 'test',
      resource: { 'service.name': draw.service },
      ...(draw.remote ? { remoteParent: true } : {}),
      ...(draw.failed ? { status: { error: 'boom' } } : {}),
      attributes: {
        'gen_ai.operation.name': draw.operation,
        ...(draw.operation === 'execute_tool'
          ? { 'gen_ai.tool.name': draw.name, 'gen_ai.tool.call.id': draw.callId }
          : {}),
        'gen_ai.agent.name': draw.name,
        'gen_ai.output.messages': draw.said,
        'gen_ai.conversation.id': draw.conversation,
        'gen_ai.usage.input_tokens': draw.tokens,
        'assay.conversation.state': `{"${draw.name}":${draw.from}}`,
      },
    });
    return span;
  });

test('any set of spans gives equal turns in any order, each span in exactly one', () => {
  fc.assert(
    fc.property(
      fc
        .array(anySpan, { minLength: 1, maxLength: 9 })
        .chain((spans) => fc.tuple(fc.constant(spans), fc.shuffledSubarray(spans, { minLength: spans.length }))),
      ([spans, shuffled]) => {
        const turns = turnsOf(spans, undefined);
        const ids = turns.flatMap((turn) => turn.steps.map((step) => step.spanId));

        expect(turnsOf([...shuffled, ...spans], undefined)).toEqual(turns);
        expect(new Set(ids).size).toBe(ids.length);
      },
    ),
    { numRuns: rounds(1500) },
  );
});
