/**
 * The real service with the traffic of the example agent: a healthy version, then a bad release. All tests of the page
 * share it and only read.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { freeListenPorts, startAssay } from '../simulation/process.ts';

export const AGENT = path.resolve(import.meta.dirname, '../../examples/scheduling-agent');
const TIMES = { ASSAY_TURN_SETTLE: '300ms', ASSAY_TURN_IDLE: '2s', ASSAY_CONVERSATION_IDLE: '3s' };
const BAD = ['--regress', 'wrong-participant,wrong-time,skip-alternatives,silent-crash', '--regress-rate', '0.6'];

declare module 'vitest' {
  interface ProvidedContext {
    readonly http: string;
    readonly otlp: string;
    readonly dataDir: string;
  }
}

/** `end` stops the service and deletes its data. */
export async function startWithTraffic(conversationsOfVersion: number) {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'assay-page-'));
  const config = path.join(AGENT, 'assay.yaml');
  const service = await startAssay({
    dataDir,
    ports: await freeListenPorts(),
    env: TIMES,
    arguments: ['--config', config],
  });
  const drive = (version: string, ...more: readonly string[]) =>
    promisify(execFile)(process.execPath, [
      path.join(AGENT, 'main.ts'),
      ...[
        '--endpoint',
        service.otlpHttp,
        '--conversations',
        String(conversationsOfVersion),
        '--rate',
        '40',
        '--seed',
        '7',
      ],
      ...['--version', version, ...more],
    ]);
  await drive('v1');
  await drive('v2', ...BAD);
  const end = async () => {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { service, dataDir, end };
}

export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const { service, dataDir, end } = await startWithTraffic(40);
  provide('http', service.http);
  provide('otlp', service.otlpHttp);
  provide('dataDir', dataDir);
  return end;
}
