/**
 * Plays a script through a framework: a server that is both model and OTLP receiver, and a process with the framework
 * in it. The driver announces each turn, so that the model knows its place in the script.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { AgentOffer } from './agents.ts';
import type { ModelApi } from './apis/api.ts';
import type { Installation } from './install.ts';
import { ScriptedModel, type Served } from './model-server.ts';
import { type ReceivedRequest, Receiver } from './receiver.ts';
import { digest, type PlayedTurn } from './script.ts';

export interface RunToPlay {
  readonly framework: string;
  readonly scenario: string;
  readonly variant: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string>>;
  readonly api: ModelApi;
  readonly conversationId: string;
  readonly userId: string;
  readonly agent: AgentOffer;
  /** `service.name` of the resource. */
  readonly serviceName: string;
  /** The second agent: run by a tool of the first, or handed over to. */
  readonly inner: AgentOffer | null;
  readonly handsOff: boolean;
  readonly turns: readonly PlayedTurn[];
}

export interface PlayedThrough {
  readonly port: number;
  readonly exit: number | string;
  readonly requests: readonly ReceivedRequest[];
  readonly served: readonly Served[];
  /** Answers as the application saw them, by turn. */
  readonly answers: ReadonlyMap<number, string | null>;
  readonly raised: ReadonlyMap<number, Raised>;
  /** Deviations from the script. */
  readonly complaints: readonly string[];
  /** The end of what the driver printed, if it was kept. */
  readonly said: string;
}

export interface Raised {
  readonly name: string;
  readonly message: string;
}

export interface PlayOptions {
  readonly timeoutMs: number;
  /** Destination of what the driver prints. */
  readonly output: 'shown' | 'standard error shown' | 'kept';
  readonly onUnknownRequest?: (line: string) => void;
}

const SAID_MAX = 4000;

/** Standard output, then standard error. */
const STREAMS = {
  shown: ['inherit', 'inherit'],
  'standard error shown': ['ignore', 'inherit'],
  kept: ['pipe', 'pipe'],
} as const satisfies Record<PlayOptions['output'], readonly string[]>;

export async function playRun(
  run: RunToPlay,
  installation: Installation,
  options: PlayOptions,
): Promise<PlayedThrough> {
  const model = new ScriptedModel(run.turns);
  const receiver = new Receiver();
  const raised = new Map<number, Raised>();
  const answers = new Map<number, string | null>();
  const server = createServer(async (incoming, response) => {
    const { pathname } = new URL(incoming.url ?? '/', 'http://localhost');
    const body = await bodyOf(incoming);
    if (pathname === '/turn') {
      model.beginTurn(JSON.parse(body.toString()).index);
      response.end('{}');
    } else if (pathname === '/outcome') {
      const { index, answer, error } = JSON.parse(body.toString());
      model.endTurn();
      answers.set(index, answer ?? null);
      if (error !== undefined && error !== null) raised.set(index, error);
      response.end('{}');
    } else if (receiver.receive(incoming, pathname, body, response)) {
      return;
    } else if (!(await model.answer(incoming, pathname, body, response))) {
      options.onUnknownRequest?.(`${incoming.method} ${pathname} answered with {}`);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{}');
    }
  });
  // Longer than a slow machine waits between two calls: a client may write to the connection as it is closed.
  server.keepAliveTimeout = 120_000;
  const port = await listening(server);
  const base = `http://127.0.0.1:${port}`;
  const script = {
    framework: run.framework,
    scenario: run.scenario,
    variant: run.variant,
    settings: run.settings,
    api: run.api.name,
    conversationId: run.conversationId,
    userId: run.userId,
    agent: run.agent,
    serviceName: run.serviceName,
    inner: run.inner,
    handsOff: run.handsOff,
    model: { name: run.api.requestedModel, baseUrl: base, openaiBaseUrl: `${base}/v1` },
    otlp: { url: base },
    control: base,
    turns: run.turns.map(({ user, tools }) => ({ user, tools })),
  };
  const scriptFile = path.join(installation.folder, 'script.json');
  writeFileSync(scriptFile, JSON.stringify(script));
  const { exit, said } = await runDriver(installation, options, {
    ...Object.fromEntries(Object.entries(run.env).map(([key, value]) => [key, value.replaceAll('$SERVER', base)])),
    CAPTURE_SCRIPT: scriptFile,
    ...(options.output === 'standard error shown' ? {} : { CAPTURE_VERBOSE: '1' }),
    OTEL_EXPORTER_OTLP_ENDPOINT: base,
    OTEL_SERVICE_NAME: run.serviceName,
    OTEL_RESOURCE_ATTRIBUTES: 'service.version=1.4.2,deployment.environment.name=test',
    OPENAI_BASE_URL: `${base}/v1`,
    ANTHROPIC_BASE_URL: base,
    OPENAI_API_KEY: 'sk-scripted',
    ANTHROPIC_API_KEY: 'sk-ant-scripted',
    GEMINI_API_KEY: 'scripted',
    GOOGLE_API_KEY: 'scripted',
  });
  server.closeAllConnections();
  server.close();
  const { requests } = receiver;
  return { port, exit, requests, served: model.served, answers, raised, complaints: model.complaints, said };
}

/** Some frameworks accept only a UUID. */
export function conversationIdOf(name: string, settings: Readonly<Record<string, unknown>>): string {
  const hash = digest(`${name} conversation`);
  if (settings.conversationId !== 'uuid') return `conv_${hash.slice(0, 12)}`;
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}

/**
 * Only the variables that a program needs to start are passed on, because the caller's keys and settings would end up
 * in the spans.
 */
function runDriver(
  { command, file, folder }: Installation,
  { timeoutMs, output }: PlayOptions,
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly exit: number | string; readonly said: string }> {
  const kept = Object.fromEntries(
    ['PATH', 'HOME', 'LANG', 'TMPDIR'].flatMap((key) => {
      const value = process.env[key];
      return value === undefined ? [] : [[key, value]];
    }),
  );
  const child = spawn(command, typeof file === 'string' ? [file] : file, {
    cwd: folder,
    env: { ...kept, ...environment },
    stdio: ['ignore', ...STREAMS[output]],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    // A group of its own, so that what it has started ends with it.
    detached: true,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-SAID_MAX);
    });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ exit: error.message, said }));
    child.once('exit', (code, signal) => {
      endGroup(child.pid);
      resolve({ exit: code ?? signal ?? 'no code', said });
    });
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing is left of it.
  }
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    // The cast holds for a server on a TCP port.
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
