/** One run: a scenario played through a framework, and the files written from the export. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { AGENTS, FRONT_DESK } from './agents.ts';
import { APIS } from './apis/apis.ts';
import { expectedOf } from './expected.ts';
import type { Framework } from './framework-file.ts';
import type { Installation } from './install.ts';
import { neutralised } from './neutral.ts';
import { conversationIdOf, playRun } from './play-run.ts';
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
  const played = await playRun(
    {
      ...{ framework: framework.name, scenario: scenarioName, variant: variantName, api, agent, turns },
      ...{ settings: variant.settings, env: variant.env, conversationId, userId },
      serviceName: agent.name,
      inner: hasTwoAgents ? inner : null,
      handsOff: scenarioName === 'support_handoff',
    },
    installation,
    {
      timeoutMs: options.timeoutMs,
      output: options.isVerbose ? 'shown' : 'standard error shown',
      ...(options.isVerbose ? { onUnknownRequest: (line: string) => console.error(`    ${line}`) } : {}),
    },
  );
  const { exit, answers, raised, port } = played;
  const complaints = [...played.complaints];
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
  const requests = played.requests.map((request) => ({
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
