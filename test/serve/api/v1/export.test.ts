/** The export of a store of thousands of conversations: each once, as the list and its filters have them. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { fillStore } from '../../../../bench/filled-store.ts';
import { type ExportLine, exportLine } from '../../../../src/model/api/export.ts';
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
  expect(await exported('?since=365d&until=2001-01-01T00:00:00Z')).toEqual([]);
  // From where another export was broken off.
  expect((await exported('?cursor=101')).map(({ conversation_id: id }) => id).at(0)).toBe('filled-99');

  for (const query of ['?order=worst', '?limit=5', '?format=parquet', '?outcome=bad', '?words=a&words=b'])
    expect([query, (await get(running, `/api/v1/export${query}`)).status]).toEqual([query, 400]);
  const head = await fetch(`${running.http}/api/v1/export`, { method: 'HEAD' });
  expect(head.status).toBe(200);
});
