/**
 * One run: a server that is both model and OTLP receiver, a process with the framework in it, and the files written
 * from the export. The driver announces each turn, so that the model knows its place in the script.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { AGENTS, FRONT_DESK } from './agents.ts';
import { APIS } from './apis/apis.ts';
import { expectedOf } from './expected.ts';
import type { Framework } from './framework-file.ts';
import type { Installation } from './install.ts';
import { ScriptedModel } from './model-server.ts';
import { neutralised } from './neutral.ts';
import { Receiver } from './receiver.ts';
import { SCENARIOS } from './scenarios.ts';
import { digest, playable } from './script.ts';

export interface CaptureOptions {
  readonly scenarioName: string;
  readonly variantName: string;
  readonly into: string;
  readonly timeoutMs: number;
  readonly isVerbose: boolean;
}

/** The exit code with which the drivers let a tool end the process. */
const KILLED = 9;

/** Deviations from the script; a capture with complaints is not written. */
export type Complaints = readonly string[];

export async function capture(
  framework: Framework,
  installation: Installation,
  options: CaptureOptions,
): Promise<Complaints> {
  const { scenarioName, variantName } = options;
  const scenario = SCENARIOS[scenarioName];
  const variant = framework.variants[variantName];
  const api = APIS.find(({ name }) => name === variant?.api);
  if (scenario === undefined || variant === undefined || api === undefined) {
    throw new Error(`${framework.name} has no ${scenarioName}.${variantName}`);
  }
  const name = `${framework.name} ${scenarioName} ${variantName}`;
  const turns = playable(name, scenario, { reasoning: api.reportsReasoning });
  const hasTwoAgents = scenarioName === 'support_subagent' || scenarioName === 'support_handoff';
  const inner = AGENTS[scenario.agent];
  const agent = hasTwoAgents ? FRONT_DESK : inner;
  const conversationId = conversationIdOf(name, variant.settings);
  const userId = `user_${digest(`${name} user`).slice(0, 6)}`;
  const model = new ScriptedModel(turns);
  const receiver = new Receiver();
  const raised = new Map<number, { readonly name: string; readonly message: string }>();
  const answers = new Map<number, string | null>();
  const complaints = model.complaints;

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
      if (options.isVerbose) console.error(`    ${incoming.method} ${pathname} answered with {}`);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{}');
    }
  });
  const port = await listening(server);
  const base = `http://127.0.0.1:${port}`;
  const script = {
    framework: framework.name,
    scenario: scenarioName,
    variant: variantName,
    settings: variant.settings,
    api: api.name,
    conversationId,
    userId,
    agent,
    inner: hasTwoAgents ? inner : null,
    handsOff: scenarioName === 'support_handoff',
    model: { name: api.requestedModel, baseUrl: base, openaiBaseUrl: `${base}/v1` },
    otlp: { url: base },
    control: base,
    turns: turns.map(({ user, tools }) => ({ user, tools })),
  };
  const scriptFile = path.join(installation.folder, 'script.json');
  writeFileSync(scriptFile, JSON.stringify(script));
  const exit = await runDriver(installation, options, {
    ...Object.fromEntries(Object.entries(variant.env).map(([key, value]) => [key, value.replaceAll('$SERVER', base)])),
    CAPTURE_SCRIPT: scriptFile,
    ...(options.isVerbose ? { CAPTURE_VERBOSE: '1' } : {}),
    OTEL_EXPORTER_OTLP_ENDPOINT: base,
    OTEL_SERVICE_NAME: agent.name,
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

  const isKilled = turns.some(({ error }) => error?.kind === 'process_exit_in_tool');
  if (exit !== (isKilled ? KILLED : 0)) complaints.push(`the driver ended with ${exit}`);
  for (const [index, { finalAnswer, error }] of turns.entries()) {
    if (error?.kind === 'process_exit_in_tool') continue;
    if (answers.get(index) === undefined) complaints.push(`turn ${index} was not played`);
    else if (error === undefined && answers.get(index)?.trim() !== finalAnswer) {
      const why = raised.get(index)?.message;
      complaints.push(
        `turn ${index} ended with ${JSON.stringify(why ?? answers.get(index))}, not with the script's answer`,
      );
    }
  }
  const requests = receiver.requests.map((request) => ({
    ...request,
    body: neutralised(request.body, { folder: installation.folder, port }),
  }));
  if (requests.length === 0) complaints.push('nothing was exported');
  if (complaints.length > 0) return complaints;

  const expected = expectedOf({
    ...{ framework, scenarioName, scenario, variantName, variant, api, agent },
    ...{ conversationId, userId, turns, raised, requests },
  });
  mkdirSync(options.into, { recursive: true });
  const file = path.join(options.into, variantName === 'default' ? scenarioName : `${scenarioName}.${variantName}`);
  for (const [signal, suffix] of [
    ['traces', 'json'],
    ['logs', 'logs.json'],
  ] as const) {
    const lines = requests
      .filter((request) => request.signal === signal)
      .map(({ body }) => `${JSON.stringify(body)}\n`);
    rmSync(`${file}.${suffix}`, { force: true });
    if (lines.length > 0 || signal === 'traces') writeFileSync(`${file}.${suffix}`, lines.join(''));
  }
  writeFileSync(`${file}.expected.json`, `${JSON.stringify(expected, undefined, 1)}\n`);
  return [];
}

/** Some frameworks accept only a UUID. */
function conversationIdOf(name: string, settings: Readonly<Record<string, unknown>>): string {
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
  { timeoutMs, isVerbose }: CaptureOptions,
  environment: Readonly<Record<string, string>>,
): Promise<number | string> {
  const kept = Object.fromEntries(
    ['PATH', 'HOME', 'LANG', 'TMPDIR'].flatMap((key) => {
      const value = process.env[key];
      return value === undefined ? [] : [[key, value]];
    }),
  );
  const child = spawn(command, [file], {
    cwd: folder,
    env: { ...kept, ...environment },
    stdio: ['ignore', isVerbose ? 'inherit' : 'ignore', 'inherit'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'no code'));
  });
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
