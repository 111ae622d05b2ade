/** The series of sub-agents, of which there is a limited number whatever spans name. */
import { expect, test } from 'vitest';
import { keptSubAgentsOf, SubAgentTotals } from '../../../src/engine/counting/sub-agent-totals.ts';
import type { KeptSubAgent } from '../../../src/store/sub-agents-codec.ts';
import { decodeSubAgents } from '../../../src/store/sub-agents-codec.ts';
import { TotalsInMemory } from '../../../src/store/running-totals.ts';
import { aConversation, aStep, aTurn, ROOT_SPAN, spanId } from '../../score/conversations.ts';

const VERDICTS = new Map([
  ['kind', { verdict: 'fail', reason: '', evidence: [] }],
  ['quick', { verdict: 'pass', reason: '', evidence: [] }],
  ['asked', { verdict: 'not_applicable', reason: '' }],
] as const);

function totalsOf(maxLabelValues = 1_000, before?: TotalsInMemory) {
  const totals = new TotalsInMemory();
  const counted = new SubAgentTotals(totals, { maxLabelValues });
  for (const total of before?.all() ?? []) counted.remember(total);
  return {
    totals,
    count: (names: readonly string[], agent = 'helper', part: Partial<KeptSubAgent> = {}) =>
      counted.count(
        { parts: names.map((name) => ({ name, steps: 3, errors: 1, costNanos: 2_000_000, ...part })), text: '' },
        { verdicts: VERDICTS },
        { suite: 'pack', agent },
      ),
    summed: (metric: string, wanted: Readonly<Record<string, string>>) =>
      totals
        .all()
        .filter((one) => one.metric === metric)
        .filter(({ labels }) => Object.entries(wanted).every(([label, value]) => labels[label] === value))
        .reduce((sum, { value }) => sum + value, 0),
    names: () => new Set(totals.all().map(({ labels }) => `${labels.agent} ${labels.sub_agent}`)),
  };
}

test('counts steps by result, the cost in millionths, and the verdicts that decide', () => {
  const { count, summed } = totalsOf();

  count(['billing']);

  expect(summed('assay_sub_agent_steps_total', { sub_agent: 'billing', result: 'ok' })).toBe(2);
  expect(summed('assay_sub_agent_steps_total', { sub_agent: 'billing', result: 'error' })).toBe(1);
  expect(summed('assay_sub_agent_cost_usd_total', { sub_agent: 'billing' })).toBe(2_000);
  expect(summed('assay_sub_agent_verdicts_total', { criterion: 'kind', verdict: 'fail' })).toBe(1);
  expect(summed('assay_sub_agent_verdicts_total', { criterion: 'quick', verdict: 'pass' })).toBe(1);
  expect(summed('assay_sub_agent_verdicts_total', {})).toBe(2);
});

test('a cost that is not known has no series', () => {
  const { totals, count } = totalsOf();

  count(['billing'], 'helper', { costNanos: undefined });

  expect(totals.all().some(({ metric }) => metric === 'assay_sub_agent_cost_usd_total')).toBe(false);
});

test('of a thousand names an agent has sixteen, and verdicts of a conversation count once under `other`', () => {
  const { count, names, summed } = totalsOf();
  const many = Array.from({ length: 1_000 }, (_, at) => `agent ${at}`);

  for (const name of many) count([name]);
  expect(names().size).toBe(17);
  expect(summed('assay_sub_agent_verdicts_total', { sub_agent: 'other', verdict: 'fail' })).toBe(984);

  count(many.slice(20, 30));
  expect(summed('assay_sub_agent_verdicts_total', { sub_agent: 'other', verdict: 'fail' })).toBe(985);
  expect(summed('assay_sub_agent_steps_total', {})).toBe(3_030);
});

test('all agents together have no more names than there are labels of agents', () => {
  const { count, names } = totalsOf(20);

  for (let agent = 0; agent < 100; agent += 1) count(['search', 'billing'], `agent ${agent}`);

  expect([...names()].filter((name) => !name.endsWith(' other'))).toHaveLength(20);
});

test('names keep their series after a restart', () => {
  const before = totalsOf();
  const names = Array.from({ length: 16 }, (_, at) => `agent ${at}`);
  for (const name of names) before.count([name]);

  const after = totalsOf(1_000, before.totals);
  after.count(['new one']);
  after.count(['agent 3']);

  expect([...after.names()]).toEqual(['helper other', 'helper agent 3']);
});

test('amounts that spans claim are kept within what is plausible', () => {
  const agent = { name: 'billing', id: undefined, version: undefined };
  const turn = aTurn({
    steps: [aStep({ kind: 'agent', spanId: ROOT_SPAN, parentSpanId: undefined }), aStep({ spanId: spanId(1), agent })],
    costs: [{ spanId: spanId(1), usd: 1e300 }],
  });

  const { parts, text } = keptSubAgentsOf(aConversation([turn]));

  expect(decodeSubAgents(text)).toEqual(parts);
  expect(parts).toEqual([{ name: 'billing', steps: 1, errors: 0, costNanos: 1_000_000_001_000 }]);
  expect(keptSubAgentsOf(aConversation())).toEqual({ parts: [], text: '' });
});
