/** Versity's gateway for tests: a server of the S3 interface that verifies signatures, and keeps objects as files. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { freePorts } from '../../free-ports.ts';
import { whenDone } from '../../for-file.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { builtFromGo } from '../prometheus/go-commands.ts';

const BUCKET = 'assay';
const STARTS_WITHIN_MS = 30_000;

export interface S3Server {
  readonly endpoint: string;
  readonly variables: { readonly [name: string]: string };
  /** Where the objects of the bucket are. */
  readonly folder: string;
  /** Requests get no answer until it is thawed; connections stay open. */
  freeze(): void;
  thaw(): void;
}

export async function startS3(): Promise<S3Server> {
  const made = await builtFromGo({
    module: 'github.com/versity/versitygw',
    version: 'v1.8.0',
    packages: ['cmd/versitygw'],
  });
  const directory = tempDirectory();
  const folder = path.join(directory, BUCKET);
  mkdirSync(folder);
  const [port = 0] = await freePorts(1);
  const child = spawn(path.join(made, 'versitygw'), ['--port', `127.0.0.1:${port}`, 'posix', directory], {
    env: { ...process.env, ROOT_ACCESS_KEY: 'test-key', ROOT_SECRET_KEY: 'test-secret' },
    stdio: 'ignore',
  });
  whenDone(() => ended(child));
  const endpoint = `http://127.0.0.1:${port}`;
  for (const until = Date.now() + STARTS_WITHIN_MS; ; ) {
    if (await fetch(endpoint).catch(() => undefined)) break;
    if (Date.now() > until) throw new Error('the S3 server did not start');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    endpoint,
    folder,
    variables: {
      AWS_ENDPOINT_URL: endpoint,
      AWS_ACCESS_KEY_ID: 'test-key',
      AWS_SECRET_ACCESS_KEY: 'test-secret',
    },
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
  };
}

export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

export function objectsIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.parquet'));
}
