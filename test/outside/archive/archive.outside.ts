/**
 * The archive in a bucket of a real server of the S3 interface: the service is killed again and again and the server
 * stands still for a while. DuckDB and ClickHouse then find each evaluation once, and the examples of
 * docs/operate/archive.md run. Needs Go and a registry of Python packages.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openObjectStore } from '../../../src/archive/open-object-store.ts';
import { assay, MAIN } from '../../assay-command.ts';
import { whenDone } from '../../for-file.ts';
import { freePorts } from '../../free-ports.ts';
import { parseMetrics } from '../../simulation/scraped-totals.ts';
import { exportRequest } from '../../simulation/traffic.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { sumOf, turnSpan } from '../../serve/running-service.ts';
import { allBlocks } from '../../snippets/blocks.ts';
import { ended, objectsIn, type S3Server, startS3 } from './s3-server.ts';

const PACKAGES = ['duckdb==2.0.1', 'chdb==4.4.0'];
const ROUNDS = 6;
const CONVERSATIONS = 40;
const ALL = ROUNDS * CONVERSATIONS;
const COUNTED = "SELECT count(*) FROM 'archive/table=conversations/*/*.parquet'";

const programs = mkdtempSync(path.join(tmpdir(), 'assay-archive-'));
const python = path.join(programs, 'venv/bin/python');

beforeAll(() => {
  execFileSync('python3', ['-m', 'venv', path.join(programs, 'venv')]);
  execFileSync(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PACKAGES]);
});
afterAll(() => rmSync(programs, { recursive: true, force: true }));

function run(script: string, cwd: string): string {
  writeFileSync(path.join(cwd, 'script.py'), script);
  return execFileSync(python, ['script.py'], { cwd, encoding: 'utf8' });
}

/** A service as operators run it; `start` again after a kill finds the same folder and ports. */
async function serviceOn(s3: S3Server) {
  const dataDir = tempDirectory();
  const [grpc = 0, otlp = 0, http = 0] = await freePorts(3);
  writeFileSync(
    path.join(dataDir, 'assay.yaml'),
    `data_dir: .
otlp_grpc_port: ${grpc}
otlp_http_port: ${otlp}
http_port: ${http}
turn: { settle: 100ms, idle: 500ms }
conversation: { idle: 1s }
archive: { url: 's3://assay/production', every: 1s }
`,
  );
  const at = (port: number) => `http://127.0.0.1:${port}`;
  const metrics = async () => {
    const answer = await fetch(`${at(http)}/metrics`).catch(() => undefined);
    return answer === undefined ? new Map<string, number>() : parseMetrics(await answer.text());
  };
  return {
    dataDir,
    http: at(http),
    metrics,
    async start() {
      const child = spawn(process.execPath, [MAIN, 'serve', '--config', path.join(dataDir, 'assay.yaml')], {
        cwd: dataDir,
        env: { ...process.env, ...s3.variables },
        stdio: 'ignore',
      });
      whenDone(() => ended(child));
      await expect.poll(async () => (await metrics()).size, { timeout: 60_000 }).toBeGreaterThan(0);
      return { kill: () => ended(child) };
    },
    /** Until it is taken, as an exporter does it. */
    async send(first: number, conversations: number) {
      const spans = Array.from({ length: conversations }, (_, index) =>
        turnSpan(first + index, {
          more: [{ key: 'gen_ai.conversation.id', value: { stringValue: `conversation-${first + index}` } }],
        }),
      );
      const body = exportRequest(spans, 'v1');
      const headers = { 'content-type': 'application/json' };
      const taken = async () =>
        (await fetch(`${at(otlp)}/v1/traces`, { method: 'POST', headers, body }).catch(() => undefined))?.status;
      await expect.poll(taken, { timeout: 60_000 }).toBe(200);
    },
  };
}

test('after kills and a server that stood still, each evaluation is there once, for DuckDB, ClickHouse and us', {
  timeout: 600_000,
}, async () => {
  const s3 = await startS3();
  const service = await serviceOn(s3);
  let running = await service.start();
  for (let round = 0; round < ROUNDS; round += 1) {
    await service.send(1 + round * CONVERSATIONS, CONVERSATIONS);
    // Between 1.6 s and 4 s later some of them are scored, and some files of a batch are written.
    await sleep(1_600 + round * 400);
    if (round === 2) s3.freeze();
    await running.kill();
    if (round === 3) s3.thaw();
    running = await service.start();
  }
  const evaluations = async () => sumOf(await service.metrics(), 'assay_evaluations_total');
  await expect.poll(evaluations, { timeout: 60_000 }).toBe(ALL);
  const folder = tempDirectory();
  symlinkSync(path.join(s3.folder, 'production'), path.join(folder, 'archive'));
  // Conversations of a batch are written last.
  const archived = () =>
    objectsIn(s3.folder).some((file) => file.includes('table=conversations'))
      ? run(`import duckdb\nprint(duckdb.sql("${COUNTED}").fetchall()[0][0])`, folder).trim()
      : '0';
  await expect.poll(archived, { timeout: 120_000, interval: 1_000 }).toBe(String(ALL));

  // The cast holds for what the script prints.
  const found = JSON.parse(
    run(
      `
import json, duckdb, chdb
count = "count(*), count(DISTINCT evaluation_id), count(DISTINCT conversation_id)"
print(json.dumps({
    "duckdb": duckdb.sql("SELECT " + count + " FROM 'archive/table=evaluations/*/*.parquet'").fetchall()[0],
    "content": duckdb.sql("SELECT count(*), count(DISTINCT trace_id) FROM 'archive/table=content/*/*.parquet'").fetchall()[0],
    "conversations": duckdb.sql("SELECT count(*) FROM 'archive/table=conversations/*/*.parquet'").fetchall()[0][0],
    "clickhouse": json.loads(chdb.query("SELECT " + count + " FROM s3('${s3.endpoint}/assay/production/table=evaluations/*/*.parquet', 'test-key', 'test-secret', 'Parquet')", "JSONCompact").bytes())["data"][0],
}))`,
      folder,
    ),
  ) as Record<string, unknown>;
  expect(found).toEqual({
    duckdb: [ALL, ALL, ALL],
    content: [ALL, ALL],
    conversations: ALL,
    clickhouse: [ALL, ALL, ALL],
  });

  const blocks = allBlocks().filter(
    ({ page, language }) => page === 'docs/operate/archive.md' && language === 'python',
  );
  expect(blocks).toHaveLength(2);
  const printed = run(blocks.map(({ text }) => text).join('\n'), folder);
  expect(printed.match(new RegExp(`helper\\D+${ALL}\\b`, 'g'))).toHaveLength(2);

  const scored = assay(['score', 's3://assay/production', '--suite', 'default', '--json'], { env: s3.variables });
  expect([scored.status, scored.stderr]).toEqual([0, '']);
  expect(scored.stdout.match(/"conversation_id":\s*"conversation-\d+"/g)?.length).toBeGreaterThanOrEqual(ALL);

  const named = 'conversation-77"';
  const holds = () => objectsIn(s3.folder).some((file) => readFileSync(path.join(s3.folder, file)).includes(named));
  // 503 says that the archive still has it, and that the service goes on: object storage is slow on a busy machine.
  const forget = async () =>
    (await fetch(`${service.http}/api/v1/conversations/conversation-77`, { method: 'DELETE' })).status;
  await expect.poll(forget, { timeout: 60_000, interval: 1_000 }).toBe(200);
  expect(holds()).toBe(false);
  const left = run(
    `import duckdb
print(*[duckdb.sql(f"SELECT count(*) FROM 'archive/table={t}/*/*.parquet' WHERE conversation_id = 'conversation-77'").fetchall()[0][0]
    for t in ("conversations", "evaluations", "verdicts", "content")])`,
    folder,
  );
  expect(left.trim()).toBe('0 0 0 0');
  await running.kill();
});

test('a wrong secret is refused by the server', async () => {
  const s3 = await startS3();
  const store = openObjectStore('s3://assay', { ...s3.variables, AWS_SECRET_ACCESS_KEY: 'another' });
  await expect(store.put('table=a/day=1/x.parquet', new Uint8Array(3))).rejects.toThrow('403 SignatureDoesNotMatch');
  const right = openObjectStore('s3://assay/a.b_c/d-e', s3.variables);
  const keys = Array.from({ length: 1_050 }, (_, at) => `table=a/day=1/${String(at).padStart(5, '0')}.parquet`);
  for (const key of keys) await right.put(key, new Uint8Array(1));
  const listed: string[] = [];
  for await (const page of right.list('table=a/')) listed.push(...page);
  expect(listed).toEqual(keys);
});
