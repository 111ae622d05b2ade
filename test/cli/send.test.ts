/** `assay send` gives recordings to a service, which has each conversation once, however often they are sent. */
import { statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { assayHere } from '../assay-here.ts';
import { freePorts } from '../free-ports.ts';
import { metricsOf, runService, sumOf } from '../serve/running-service.ts';
import { exportRequest, traffic } from '../simulation/traffic.ts';
import { tempDirectory } from '../temp-directory.ts';

test('recordings are sent to the service, and what it has already is not doubled', async () => {
  const folder = tempDirectory();
  const [otlpHttpPort = 0] = await freePorts(1);
  const running = await runService({ suites: ['default'], dataDir: tempDirectory(), otlpHttpPort });
  const turns = [...traffic({ seed: 3, conversations: 40, turnsMax: 3, endMarks: 'all' })].flatMap((one) => one.turns);
  const file = path.join(folder, 'spans.jsonl');
  writeFileSync(file, turns.map((turn) => `${exportRequest(turn, 'v1')}\n`).join(''));
  const messages = path.join(folder, 'messages.jsonl');
  writeFileSync(
    messages,
    `${JSON.stringify({
      conversation_id: 'told',
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello' },
      ],
    })}\n`,
  );
  const [elsewhere = 0] = await freePorts(1);
  const config = path.join(folder, 'assay.yaml');
  writeFileSync(config, `otlp_http_port: ${elsewhere}\n`);
  const to = ['--url', running.http, '--config', config];
  writeFileSync(path.join(folder, 'empty.jsonl'), '');

  const sent = await assayHere(['send', file, messages, ...to]);
  const again = await assayHere(['send', file, ...to]);
  const nothing = await assayHere(['send', path.join(folder, 'none.jsonl'), ...to]);
  const nowhere = await assayHere(['send', file, '--url', 'http://127.0.0.1:1']);

  expect(sent.stderr).toBe('');
  expect(sent.stdout).toMatch(/^\d+ spans sent to http:\/\/127\.0\.0\.1:\d+\. `assay doctor`/);
  expect(again.status).toBe(0);
  while (sumOf(await metricsOf(running), 'assay_evaluations_total') < turns.length + 1)
    await new Promise((resolve) => setTimeout(resolve, 50));
  const list = await fetch(`${running.http}/api/v1/conversations?limit=100`);
  // The cast is the form of the API.
  const { conversations } = (await list.json()) as { conversations: { conversation_id: string; began_at: string }[] };
  expect(conversations).toHaveLength(41);
  const told = conversations.find((one) => one.conversation_id === 'told');
  expect(Math.abs(Date.parse(told?.began_at ?? '') - statSync(messages).mtimeMs)).toBeLessThan(1000);
  expect(sumOf(await metricsOf(running), 'assay_evaluations_total')).toBe(turns.length + 1);
  expect(nothing.status).toBe(3);
  expect(nothing.stderr).toContain('none.jsonl');
  expect(nowhere.status).toBe(3);
  expect(nowhere.stderr).toContain('start `assay serve`');
  const empty = await assayHere(['send', path.join(folder, 'empty.jsonl'), ...to]);
  expect([empty.status, empty.stdout, empty.stderr]).toEqual([
    3,
    '',
    expect.stringContaining('nothing is in it to send'),
  ]);
  const toOtlp = await assayHere(['send', file, '--url', `http://127.0.0.1:${otlpHttpPort}`]);
  expect([toOtlp.status, toOtlp.stderr]).toEqual([
    3,
    expect.stringContaining('is not the address of the page and the API'),
  ]);
});
