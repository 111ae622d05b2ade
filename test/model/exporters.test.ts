import { expect, test } from 'vitest';
import { ledgerOf, SHIPPED_LEDGER } from '../../src/model/exporters.ts';
import { recordedRuns, understandRun } from '../normalize/recorded/compare.ts';

test('an exporter that is known sends all but what its row lacks', () => {
  expect(SHIPPED_LEDGER.sends(['pydantic-ai'], 'tools')).toBe('sent');
  expect(SHIPPED_LEDGER.sends(['opentelemetry.instrumentation.genai.smolagents'], 'tools')).toBe('not_sent');
  expect(SHIPPED_LEDGER.sends(['an-agent-of-ours'], 'tools')).toBe('unknown');
  expect(SHIPPED_LEDGER.sends([], 'tools')).toBe('unknown');
});

test('of several exporters one that sends it is enough, and one that is unknown leaves it unknown', () => {
  const silent = 'opentelemetry.instrumentation.genai.smolagents';
  expect(SHIPPED_LEDGER.sends([silent, 'openinference.instrumentation.openai'], 'tools')).toBe('sent');
  expect(SHIPPED_LEDGER.sends([silent, 'an-agent-of-ours'], 'tools')).toBe('unknown');
});

test('the configuration goes before the shipped rows, by name or by glob', () => {
  const ledger = ledgerOf([
    { scope: 'pydantic-ai', lacks: ['tools'] },
    { scope: 'team.*', lacks: ['usage'] },
  ]);

  expect(ledger.sends(['pydantic-ai'], 'tools')).toBe('not_sent');
  expect(ledger.sends(['team.orders'], 'tools')).toBe('sent');
  expect(ledger.sends(['team.orders'], 'usage')).toBe('not_sent');
});

/** Applications that named their own tracer. */
const OF_APPLICATIONS = new Set([
  'app',
  'front_desk',
  'meeting_scheduler',
  'my-agent',
  'order-agent',
  'support_ticket_agent',
]);

test('each exporter that was recorded is in the ledger, and none sends what its row lacks', async () => {
  const unknown = new Set<string>();
  const contradicted = new Set<string>();
  for (const run of recordedRuns()) {
    for (const { turns } of await understandRun(run)) {
      for (const { kind, scopeName: scope, usage } of turns.flatMap(({ steps }) => steps)) {
        if (kind === 'other' || OF_APPLICATIONS.has(scope)) continue;
        if (!SHIPPED_LEDGER.knows(scope)) unknown.add(scope);
        if (kind === 'tool' && SHIPPED_LEDGER.sends([scope], 'tools') === 'not_sent')
          contradicted.add(`${scope}: tools`);
        if (kind === 'llm' && SHIPPED_LEDGER.sends([scope], 'model_calls') === 'not_sent')
          contradicted.add(`${scope}: model calls`);
        if (kind === 'llm' && usage !== undefined && SHIPPED_LEDGER.sends([scope], 'usage') === 'not_sent')
          contradicted.add(`${scope}: usage`);
      }
    }
  }

  expect([...unknown]).toEqual([]);
  expect([...contradicted]).toEqual([]);
});
