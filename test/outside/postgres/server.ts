/**
 * A private PostgreSQL server for tests: Debian's programs, a fresh cluster in a temporary folder, a free port, and
 * `fsync` on, because the tests check what survives a kill. The programs refuse to run as root, so root runs them as
 * the user `postgres`.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { freePorts } from '../../free-ports.ts';

/** Operations of a test on a server, whether or not the test started it. */
export interface PostgresServer {
  readonly host: string;
  readonly port: number;
  readonly url: string;
  /** An empty database, and its URL. */
  createDatabase(): Promise<string>;
  /** Stops as an operator would: sessions are ended, memory is flushed. */
  stop(): Promise<void>;
  /** Stops like a power cut, as far as a process can. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Freezes every process of the server; its connections stay open. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

const ROOT_OF_VERSIONS = '/usr/lib/postgresql';
const PASSWORD = 'assay';
const STARTS_WITHIN_MS = 60_000;

export function hasPostgresPrograms(): boolean {
  return findPrograms() !== undefined;
}

export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  const programs = findPrograms();
  if (programs === undefined) {
    throw new Error(
      `no PostgreSQL under ${ROOT_OF_VERSIONS}: apt-get install -y postgresql, or name a server in ASSAY_TEST_POSTGRES`,
    );
  }
  const user = userToRunAs();
  const directory = mkdtempSync(path.join(tmpdir(), 'assay-postgres-'));
  if (user !== undefined) chownSync(directory, user.uid, user.gid);
  const data = path.join(directory, 'data');
  const passwordFile = path.join(directory, 'password');
  writeFileSync(passwordFile, PASSWORD);
  const [initdb = '', ...initdbArguments] = asUser(user, [
    path.join(programs, 'initdb'),
    ...['-D', data, '-U', 'assay', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`],
    ...['-E', 'UTF8', '--locale=C', '--no-sync'],
  ]);
  execFileSync(initdb, initdbArguments, { stdio: 'pipe', cwd: directory });
  const [port = 0] = await freePorts(1);
  const host = '127.0.0.1';
  const url = `postgres://assay:${PASSWORD}@${host}:${port}/postgres`;
  const options = {
    listen_addresses: host,
    port: String(port),
    unix_socket_directories: '',
    max_connections: '80',
    shared_buffers: '256MB',
    max_wal_size: '2GB',
    fsync: 'on',
    ...settings,
  };
  let server: ChildProcess | undefined;
  let log = '';
  let databases = 0;

  async function start(): Promise<void> {
    const [postgres = '', ...postgresArguments] = asUser(user, [
      path.join(programs ?? '', 'postgres'),
      ...['-D', data, ...Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    ]);
    const child = spawn(postgres, postgresArguments, { stdio: ['ignore', 'ignore', 'pipe'], cwd: directory });
    child.stderr?.on('data', (chunk) => {
      log = (log + String(chunk)).slice(-20_000);
    });
    server = child;
    const deadline = Date.now() + STARTS_WITHIN_MS;
    while (!(await answers(url))) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`PostgreSQL did not start:\n${log}`);
      await sleep(50);
    }
  }

  /** The server's process and its children. */
  function processes(): number[] {
    return server?.pid === undefined || server.exitCode !== null ? [] : [server.pid, ...childrenOf(server.pid)];
  }

  async function ended(): Promise<void> {
    const child = server;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    await new Promise<void>((resolve) => child.once('exit', () => resolve()));
  }

  async function stop(): Promise<void> {
    // Sessions are ended at once and their open transactions are rolled back.
    server?.kill('SIGINT');
    await ended();
    server = undefined;
  }

  async function kill(): Promise<void> {
    const all = processes();
    for (const pid of all) signal(pid, 'SIGKILL');
    await ended();
    while (all.some((pid) => existsSync(`/proc/${pid}`) && !isZombie(pid))) await sleep(10);
    server = undefined;
  }

  // A test that is cut short must not leave a server running.
  const onExit = () => {
    for (const pid of processes()) signal(pid, 'SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  };
  process.once('exit', onExit);
  await start();
  return {
    host,
    port,
    url,
    async createDatabase() {
      databases += 1;
      return createDatabase(url, `test_${databases}`);
    },
    stop,
    kill,
    start,
    freeze: () => {
      for (const pid of processes()) signal(pid, 'SIGSTOP');
    },
    thaw: () => {
      for (const pid of processes()) signal(pid, 'SIGCONT');
    },
    async close() {
      for (const pid of processes()) signal(pid, 'SIGCONT');
      await kill();
      process.off('exit', onExit);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

export async function createDatabase(url: string, name: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${name}`);
  } finally {
    await client.end();
  }
  const of = new URL(url);
  of.pathname = `/${name}`;
  return of.href;
}

function findPrograms(): string | undefined {
  if (!existsSync(ROOT_OF_VERSIONS)) return undefined;
  return readdirSync(ROOT_OF_VERSIONS)
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => path.join(ROOT_OF_VERSIONS, version, 'bin'))
    .find((folder) => existsSync(path.join(folder, 'postgres')));
}

interface User {
  readonly uid: number;
  readonly gid: number;
}

function userToRunAs(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const entry = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((line) => line.startsWith('postgres:'));
  const [, , uid, gid] = entry?.split(':') ?? [];
  if (uid === undefined || gid === undefined)
    throw new Error('PostgreSQL does not run as root: make a user `postgres`');
  return { uid: Number(uid), gid: Number(gid) };
}

function asUser(user: User | undefined, command: readonly string[]): readonly string[] {
  return user === undefined
    ? command
    : ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', ...command];
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => statOf(pid)?.parent === parent);
}

function isZombie(pid: number): boolean {
  return statOf(pid)?.state === 'Z';
}

function statOf(pid: number): { readonly state: string; readonly parent: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in brackets, may contain anything.
    const [state = '', parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state, parent: Number(parent) };
  } catch {
    // It has ended in the meantime.
    return undefined;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended in the meantime.
  }
}

async function answers(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const isListening = await new Promise<boolean>((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.once('connect', () => resolve(socket.destroy() !== undefined));
    socket.once('error', () => resolve(false));
  });
  if (!isListening) return false;
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on('error', () => {
    // `connect` reports it as well.
  });
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    // It is starting, or replaying its log after a kill.
    return false;
  } finally {
    await client.end().catch(() => {
      // Nothing was connected.
    });
  }
}
