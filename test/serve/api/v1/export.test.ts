/** The export of a store of thousands of conversations: each once, as the list and its filters have them. */
import path from 'node:path';
import { parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { expect, test } from 'vitest';
import { fillStore } from '../../../../bench/filled-store.ts';
import { exportedLine, type ExportLine, exportLine } from '../../../../src/api/export.ts';
import { tempDirectory } from '../../../temp-directory.ts';
import { runService } from '../../running-service.ts';
import { get } from './filled-service.ts';

const CONVERSATIONS = 1_250;

test('an export has every conversation that the filters let through, once, and answers mistakes', {
  timeout: 60_000,
}, async () => {
  const dataDir = tempDirectory();
  fillStore(path.join(dataDir, 'assay.db'), CONVERSATIONS);
  const running = await runService({ suites: ['default'], dataDir });
  const exported = async (query: string): Promise<readonly ExportLine[]> => {
    const response = await fetch(`${running.http}/api/v1/export${query}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/jsonl']);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="conversations.jsonl"');
    const text = await response.text();
    return text.split('\n').flatMap((line) => (line === '' ? [] : [exportLine.parse(JSON.parse(line))]));
  };

  const all = await exported('');
  expect(all.map(({ conversation_id: id }) => id)).toEqual(
    Array.from({ length: CONVERSATIONS }, (_, at) => `filled-${CONVERSATIONS - 1 - at}`),
  );
  expect(all[9]).toMatchObject({
    conversation_id: 'filled-1240',
    agent: 'agent-0',
    asked: 'Please move my call number 1240 to Thursday 16:00.',
    evaluations: [{ suite: 'support', score: 0.8, outcome: 'partial_failure', shadow: false, latest: true }],
  });
  expect(all[9]?.evaluations[0]?.verdicts).toHaveLength(8);
  expect(all[9]?.evaluations[0]?.verdicts[0]).toMatchObject({ criterion: 'criterion_0', verdict: 'fail' });
  const failed = await exported('?outcome=hard_failure&outcome=partial_failure&agent=agent-10&format=jsonl');
  expect(failed.map(({ conversation_id: id }) => id)).toEqual(
    all
      .filter(({ agent, evaluations: [one] }) => agent === 'agent-10' && one?.outcome === 'partial_failure')
      .map(({ conversation_id: id }) => id),
  );
  expect(failed.length).toBeGreaterThan(10);
  expect(await exported('?words=nothing-of-that-kind')).toEqual([]);
  expect(await exported('?until=2001-01-01T00:00:00Z')).toEqual([]);
  // From where another export was broken off.
  const last = all.find(({ conversation_id: id }) => id === 'filled-100');
  const [next] = await exported(`?cursor=${Date.parse(last?.began_at ?? '')}.101`);
  expect(next?.conversation_id).toBe('filled-99');

  const wrong = ['?order=worst', '?limit=5', '?format=csv', '?table=spans', '?outcome=bad', '?words=a&words=b'];
  for (const query of [...wrong, '?since=1h&until=2h'])
    expect([query, (await get(running, `/api/v1/export${query}`)).status]).toEqual([query, 400]);
  const head = await fetch(`${running.http}/api/v1/export`, { method: 'HEAD' });
  expect(head.status).toBe(200);

  // The other tables, and the same rows as Parquet.
  const lines = async (query: string) => {
    const text = await (await fetch(`${running.http}/api/v1/export?${query}`)).text();
    return text.split('\n').flatMap((line) => (line === '' ? [] : [exportedLine.parse(JSON.parse(line))]));
  };
  const evaluations = await lines('table=evaluations');
  expect(evaluations).toHaveLength(CONVERSATIONS);
  expect(evaluations[9]).toEqual({
    conversation_id: 'filled-1240',
    agent: 'agent-0',
    agent_version: 'v1',
    environment: 'production',
    segment: null,
    suite: 'support',
    suite_version: '1',
    scope: 'conversation',
    turn_id: null,
    revision: 1,
    evaluated_at: expect.any(String),
    began_at: expect.any(String),
    scored_at: expect.any(String),
    outcome: 'partial_failure',
    because: 'criterion_0',
    success: false,
    score: 0.8,
    decided_share: 1,
    about: 'task',
    ending: null,
    explanation: 'One of eight criteria failed: criterion_0.',
    steps: 3,
    tokens: 900,
    cost_usd: 0.002,
    duration_ms: 4000,
  });
  expect(await lines('table=evaluations&suite=nobody')).toEqual([]);
  const verdicts = await lines('table=verdicts&agent=agent-0&suite=support');
  expect(verdicts).toHaveLength(Math.floor(CONVERSATIONS / 20) * 8);
  expect(verdicts[0]).toMatchObject({
    criterion: 'criterion_0',
    verdict: 'fail',
    passed: false,
    reason: 'The answer names what was asked for.',
    evidence_span_id: '00000000000000aa',
    judge: null,
    undecided: null,
  });

  for (const [table, wanted] of [
    ['evaluations', evaluations],
    ['verdicts', verdicts],
    ['conversations', all.map(({ evaluations: _nested, ...item }) => item)],
  ] as const) {
    const filter = table === 'verdicts' ? '&agent=agent-0' : '';
    const response = await fetch(`${running.http}/api/v1/export?table=${table}&format=parquet${filter}`);
    expect(response.headers.get('content-type')).toBe('application/vnd.apache.parquet');
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${table}.parquet"`);
    const rows = await parquetReadObjects({ file: await response.arrayBuffer() });
    expect(rows.map(inJson)).toEqual(wanted.map((line) => inJson(line)));
  }
  const none = await fetch(`${running.http}/api/v1/export?table=verdicts&format=parquet&agent=nobody`);
  const empty = await parquetMetadataAsync(await none.arrayBuffer());
  expect([empty.num_rows, empty.schema.length]).toEqual([0n, 21]);

  // Nothing of a forgotten conversation is in a later export.
  await fetch(`${running.http}/api/v1/conversations/filled-1240`, { method: 'DELETE' });
  for (const table of ['conversations', 'evaluations', 'verdicts'])
    expect((await lines(`table=${table}`)).filter(({ conversation_id: id }) => id === 'filled-1240')).toEqual([]);
  expect(await lines('table=evaluations')).toHaveLength(CONVERSATIONS - 1);
});

/** A row of Parquet as a line of JSON has it, without what is null. */
function inJson(row: object): object {
  const written = (value: unknown) => {
    if (value instanceof Date) return value.toISOString();
    return typeof value === 'bigint' ? Number(value) : value;
  };
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) =>
      value === null || value === undefined ? [] : [[name, written(value)]],
    ),
  );
}
