/** Folders of src that are packages by themselves, packed, and used by a project that has nothing else of Assay. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const RECORDED = path.join(ROOT, 'test/fixtures/captured/strands@1.19.0/meeting_success.json');
const { devDependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
const project = mkdtempSync(path.join(tmpdir(), 'assay-packages-'));

const USES = `
import { readFileSync } from 'node:fs';
import { transcodeTraces } from 'assay-otlp/json-transcoder';
import { indexTraces } from 'assay-otlp/traces-reader';
import { normalize } from 'assay-normalize/normalize';
import { BUILT_IN_PATTERNS } from 'assay-redact/model/redaction';
import { RequestRedactor } from 'assay-redact/request-redactor';
import { readConversations } from 'assay-reader';
import { toAtif } from 'assay-reader/to-atif';

const [line = ''] = readFileSync('recorded.json', 'utf8').split('\\n');
const bytes = transcodeTraces(Buffer.from(line.replace('"name":"', '"name":"ada@example.com ')));
const { spanCount } = indexTraces(bytes);
const tools = normalize({ traces: bytes, logs: undefined }).flatMap((step) => (step.kind === 'tool' ? [step.name] : []));
const rules = { patterns: BUILT_IN_PATTERNS, custom: [], keys: [], userIds: undefined, identifiers: [], salt: 'a salt' };
const kept = Buffer.from(new RequestRedactor(rules).redact('traces', bytes)?.bytes ?? bytes).toString();
const [conversation] = readConversations(readFileSync('recorded.json'), { redact: { salt: 'a salt' } });
const answers: readonly (string | null)[] = conversation?.turns.map((turn) => turn.final_answer) ?? [];
const atif = conversation === undefined ? undefined : toAtif(conversation).schema_version;
console.log(JSON.stringify({ answers, atif, spanCount, tools, had: bytes.includes('@'.charCodeAt(0)), has: kept.includes('ada@example.com') }));
`;

beforeAll(() => {
  const packed = execFileSync(process.execPath, [path.join(ROOT, 'scripts/pack-packages.ts'), '--out', project], {
    encoding: 'utf8',
  });
  writeFileSync(path.join(project, 'package.json'), '{ "name": "stranger", "private": true, "type": "module" }');
  const types = [`typescript@${devDependencies.typescript}`, '@types/node@22.20.1'];
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', ...packed.trim().split('\n'), ...types], {
    cwd: project,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  copyFileSync(RECORDED, path.join(project, 'recorded.json'));
  writeFileSync(path.join(project, 'uses.ts'), USES);
});
afterAll(() => rmSync(project, { recursive: true }));

test('otlp, normalize, redact and reader work in a project without Assay', () => {
  const said = execFileSync(process.execPath, ['uses.ts'], { cwd: project, encoding: 'utf8' });

  expect(JSON.parse(said)).toMatchObject({ spanCount: expect.any(Number), had: true, has: false });
  const { spanCount, tools } = JSON.parse(said);
  expect(spanCount).toBeGreaterThan(3);
  expect(tools.length).toBeGreaterThan(0);
  const { answers, atif } = JSON.parse(said);
  expect([answers.length, answers.every((one: unknown) => typeof one === 'string'), atif]).toEqual([
    2,
    true,
    'ATIF-v1.7',
  ]);
});

test('their types fit, without `skipLibCheck`', () => {
  const args = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2025', '--types', 'node', 'uses.ts'];
  const { NODE_OPTIONS: _, ...env } = process.env;
  execFileSync(path.join(project, 'node_modules/.bin/tsc'), args, {
    cwd: project,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
});
