/**
 * node test/outside/disk-full.ts <folder on a small file system of its own>
 *
 * Fills the disk under a running service: new data must be refused with a request to retry, accepted data must be
 * scored in the end, and once there is room again the service must continue by itself. Needs a file system that can be
 * filled, so it runs outside `npm test`; see `.ci/disk-full`.
 */
import { ok, strictEqual } from 'node:assert/strict';
import { appendFileSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseMetrics } from '../simulation/scraped-totals.ts';
import { freeListenPorts, startAssay } from '../simulation/process.ts';
import { exportRequest, traffic } from '../simulation/traffic.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('give a folder on a small file system of its own');
const dataDir = path.join(folder, 'data');
const ballast = path.join(folder, 'ballast');
const configFile = path.join(folder, 'assay.yaml');
mkdirSync(dataDir);
writeFileSync(configFile, 'suites: [default]\njournal: { max_bytes: 128MiB }\n');

const assay = await startAssay({
  dataDir,
  ports: await freeListenPorts(),
  env: { ASSAY_TURN_SETTLE: '200ms' },
  arguments: ['--config', configFile],
});
let accepted = 0;
const source = traffic({ seed: 1, conversations: Number.MAX_SAFE_INTEGER, withoutId: 1, messageBytes: [2000, 8000] });

async function sendOne(): Promise<Response> {
  const next = source.next();
  if (next.done === true) throw new Error('the traffic never ends');
  const response = await fetch(`${assay.otlpHttp}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: exportRequest(next.value.turns[0] ?? [], 'v1'),
  });
  await response.arrayBuffer();
  if (response.ok) accepted += 1;
  return response;
}

async function metrics(): Promise<ReadonlyMap<string, number>> {
  return parseMetrics(await (await fetch(`${assay.http}/metrics`)).text());
}

async function scored(): Promise<number> {
  const found = [...(await metrics())].filter(([series]) => series.startsWith('assay_evaluations_total'));
  return found.reduce((sum, [, value]) => sum + value, 0);
}

async function until(what: string, claim: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await claim())) {
    if (Date.now() > deadline) throw new Error(`${what}: not within a minute`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

try {
  for (let number = 0; number < 20; number += 1) strictEqual((await sendOne()).status, 200);
  await until('the first turns are scored', async () => (await scored()) === accepted);

  writeFileSync(ballast, '');
  try {
    for (;;) appendFileSync(ballast, Buffer.alloc(64 << 10, 1));
  } catch {
    // The disk is full, as intended.
  }
  console.log(`disk full: ${statfsSync(folder).bavail} blocks left; ${accepted} turns accepted so far`);

  let refusal: Response | undefined;
  for (let number = 0; number < 2000 && refusal === undefined; number += 1) {
    const response = await sendOne();
    if (!response.ok) refusal = response;
  }
  ok(refusal !== undefined, 'a full disk never led to a refusal');
  strictEqual(refusal.status, 503);
  strictEqual(refusal.headers.get('retry-after'), '1');
  strictEqual((await fetch(`${assay.http}/readyz`)).status, 503);
  console.log(
    `refused with 503 after ${accepted} accepted turns; readyz says why: ${(await (await fetch(`${assay.http}/readyz`)).text()).trim()}`,
  );

  rmSync(ballast);
  await until('new data are accepted again', async () => (await sendOne()).ok);
  await until('everything that was accepted is scored', async () => (await scored()) === accepted);
  await until('ready again', async () => (await fetch(`${assay.http}/readyz`)).ok);
  console.log(`recovered by itself; ${accepted} turns accepted, ${await scored()} scored`);
  strictEqual(await assay.stop(), 0);
} finally {
  await assay.kill();
}
