/** A running service with a suite in shadow: its API, a reload, and the commands that read its store. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { assayHere } from '../assay-here.ts';
import { exportRequest, traffic } from '../simulation/traffic.ts';
import { tempDirectory } from '../temp-directory.ts';
import { metricsOf, runService, sumOf } from '../serve/running-service.ts';

const SUITE = `suite: calls
version: "1"
scope: conversation
criteria:
  - { name: few, question: Few calls?, weight: 1, check: size(tool_calls) < 6 }
`;

test('what a suite in shadow says is told by the API and by assay shadow, explain and backtest, and nowhere else', async () => {
  const dataDir = tempDirectory();
  writeFileSync(path.join(dataDir, 'live.yaml'), SUITE);
  writeFileSync(path.join(dataDir, 'next.yaml'), SUITE.replace('"1"', '"2"').replace('< 6', '< 0'));
  writeFileSync(path.join(dataDir, 'assay.yaml'), 'data_dir: .\nsuites: [./live.yaml]\nshadow_suites: [./next.yaml]\n');
  const running = await runService({ suites: ['./live.yaml'], dataDir });
  const conversations = [...traffic({ seed: 2, conversations: 5, turnsMax: 1, endMarks: 'all' })];
  for (const { turns, agentVersion } of conversations) {
    const body = exportRequest(turns.flat(), agentVersion);
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(`${running.otlp}/v1/traces`, { method: 'POST', headers, body })).status).toBe(200);
  }
  await expect
    .poll(async () => sumOf(await metricsOf(running), 'assay_shadow_compared_total'), { timeout: 20_000 })
    .toBe(conversations.length);
  const json = async (url: string): Promise<unknown> => (await fetch(`${running.http}${url}`)).json();
  const id = conversations[0]?.id ?? '';

  expect(await json('/api/v1/shadow?changed=2')).toMatchObject({
    shadows: [{ suite: 'calls', version: '2', counted: { compared: 5 }, after: { tcr: 0 } }],
  });
  expect(await json('/api/v1/shadow?suite=other')).toEqual({ shadows: [] });
  expect((await fetch(`${running.http}/api/v1/shadow?sinse=1h`)).status).toBe(400);
  expect(await json(`/api/conversations/${id}`)).toMatchObject({
    evaluations: [{ suite_version: '1' }],
    shadow_evaluations: [{ suite_version: '2', score: 0 }],
  });
  expect(sumOf(await metricsOf(running), 'assay_evaluations_total')).toBe(5);
  const assay = async (...args: readonly string[]) => (await assayHere(args, { cwd: dataDir })).stdout;
  const shown = await assay('shadow');
  expect(shown).toContain('calls@2 beside what calls said: version 1 (5)');
  expect(shown).toContain('said by both');
  expect(shown).not.toContain('asked again');
  expect(await assay('explain', id)).toContain('calls@2 in shadow on the conversation: 0.00');
  const [backtested] = JSON.parse(
    await assay('backtest', 'next.yaml', '--json', '--since', '2020-01-01'),
  ) as readonly object[];
  expect(backtested).toMatchObject({ suite: 'calls', version: '2', counted: { asked_again: 5 }, after: { tcr: 0 } });
  expect(await assay('validate')).toContain('calls@2 in shadow');

  writeFileSync(path.join(dataDir, 'next.yaml'), SUITE.replace('conversation', 'turn'));
  expect(await running.service.reload()).toMatchObject({ reloaded: false, mistakes: [{ path: 'scope' }] });
  writeFileSync(path.join(dataDir, 'assay.yaml'), 'data_dir: .\nsuites: [./live.yaml]\n');
  expect(await running.service.reload()).toMatchObject({ reloaded: true });
  expect(await json('/api/v1/shadow')).toEqual({ shadows: [] });
}, 60_000);
