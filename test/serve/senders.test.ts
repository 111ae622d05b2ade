/** Names come from spans: one sender that invents them hides no agent of another sender. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { TokenFile } from '../../src/access/token-file.ts';
import { newToken } from '../../src/access/token.ts';
import { accessFilesIn } from '../../src/serve/store-place/data-directory.ts';
import { exportRequest, type TrafficSpan } from '../simulation/traffic.ts';
import { tempDirectory } from '../temp-directory.ts';
import { runService, type RunningService, turnSpan } from './running-service.ts';

const NAMES_MAX = 40;

async function tokensIn(dataDir: string): Promise<Record<'flood' | 'good' | 'reader', string>> {
  const file = new TokenFile(accessFilesIn(dataDir).tokensFile);
  const add = async (name: string, role: 'ingest' | 'read') => {
    const { token, kept } = newToken(role, { name, now: 0, expiresAt: undefined });
    await file.add(kept);
    return token;
  };
  return {
    flood: await add('flood', 'ingest'),
    good: await add('good', 'ingest'),
    reader: await add('reader', 'read'),
  };
}

const END = { key: 'assay.conversation.end', value: { boolValue: true } };
const spanOf = (number: number, agent: string) => turnSpan(number, { agent, more: [END] });

async function send({ otlp }: RunningService, token: string, spans: readonly TrafficSpan[]): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const answer = await fetch(`${otlp}/v1/traces`, { method: 'POST', headers, body: exportRequest([...spans], 'v1') });
  expect(answer.status).toBe(200);
}

test('names that one token invents fill its own part only, and are counted when they are folded', {
  timeout: 60_000,
}, async () => {
  const dataDir = tempDirectory();
  const config = `access: { required: true }\nmetrics: { max_label_values: ${NAMES_MAX} }\n`;
  writeFileSync(path.join(dataDir, 'assay.yaml'), config);
  const tokens = await tokensIn(dataDir);
  const running = await runService({ suites: ['default'], dataDir });
  const metrics = async () => {
    const answer = await fetch(`${running.http}/metrics`, { headers: { authorization: `Bearer ${tokens.reader}` } });
    return answer.text();
  };
  const agents = async () => new Set([...(await metrics()).matchAll(/agent="([^"]*)"/g)].map(([, agent]) => agent));
  const invented = Array.from({ length: 2 * NAMES_MAX }, (_, n) => spanOf(n + 1, `invented ${n}`));
  // So that the service knows that there is another one.
  await send(running, tokens.good, [spanOf(1_000, 'first')]);
  await send(running, tokens.flood, invented);
  await expect.poll(async () => (await agents()).has('other'), { timeout: 30_000 }).toBe(true);

  await send(running, tokens.good, [spanOf(1_001, 'second')]);

  await expect.poll(async () => (await agents()).has('second'), { timeout: 30_000 }).toBe(true);
  const known = [...(await agents())].filter((agent) => agent?.startsWith('invented'));
  expect(known.length).toBeLessThan(NAMES_MAX);
  expect(await metrics()).toMatch(
    new RegExp(`assay_series_folded_total\\{label="agent"\\} ${2 * NAMES_MAX - known.length}\\b`),
  );
});
