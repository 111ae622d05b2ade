/** Plays one row: installs it, lets its agent go through the behaviours, reads what came, and compares. */
import path from 'node:path';
import { APIS } from '../capture/apis/apis.ts';
import { jsonOfRequest } from '../capture/otlp-json.ts';
import { conversationIdOf, type PlayedThrough, playRun } from '../capture/play-run.ts';
import { recordedMessages } from '../../src/engine/recorded/recorded-batch.ts';
import { understandRecorded } from '../../src/engine/recorded/understand-recording.ts';
import { type Behaviour, behavioursOf } from './behaviours.ts';
import { compareExport } from './compare.ts';
import { type Environment, install, remove } from './environment.ts';
import { exportedText } from './exported-text.ts';
import { exportIn, keep, type KeptExport, type Played, tryReadKept } from './kept-export.ts';
import type { PlayedBehaviour, RowResult } from './result.ts';
import type { Row } from './row.ts';

export interface PlayRowOptions {
  readonly pins: Readonly<Record<string, string>>;
  /** Exports and results are written below it, in a folder for each row. */
  readonly out: string;
  /** For installing and playing together. */
  readonly timeoutMs: number;
  readonly keep: boolean;
  readonly today: string;
  /** Replaced in tests. */
  readonly install?: typeof install;
}

const BEHAVIOUR_MS = 120_000;

/** Never throws: a row that cannot be installed or played has its reason as result. */
export async function playRow(row: Row, options: PlayRowOptions): Promise<RowResult> {
  const deadline = performance.now() + options.timeoutMs;
  const result = (versions: RowResult['versions'], behaviours: readonly PlayedBehaviour[], failure?: string) => ({
    ...{ row: row.id, framework: row.framework, exporter: row.exporter, language: row.language },
    ...{ date: options.today, versions, behaviours, ...(failure === undefined ? {} : { failure }) },
  });
  let versions: RowResult['versions'] = {};
  const behaviours: PlayedBehaviour[] = [];
  try {
    const environment = await (options.install ?? install)(row, { pins: options.pins, timeoutMs: options.timeoutMs });
    versions = environment.versions;
    for (const behaviour of playableBy(row)) {
      const left = Math.ceil(deadline - performance.now());
      if (left <= 0) return result(versions, behaviours, `not done after ${options.timeoutMs / 1000} s`);
      behaviours.push(
        await playBehaviour(row, environment, behaviour, { ...options, timeoutMs: Math.min(left, BEHAVIOUR_MS) }),
      );
    }
    return result(versions, withoutCoincidences(behaviours));
  } catch (error) {
    return result(versions, behaviours, error instanceof Error ? error.message : String(error));
  } finally {
    if (!options.keep) remove(row);
  }
}

/**
 * A turn of one model call has the counts of that call, although its exporter may send no model calls: what was not
 * sent in turns of several calls was not sent.
 */
function withoutCoincidences(behaviours: readonly PlayedBehaviour[]): readonly PlayedBehaviour[] {
  const calls = (behaviour: PlayedBehaviour) => behaviour.fields.filter(({ name }) => name === 'model calls');
  const sendsNone = behaviours.some(
    (behaviour) => behaviour.spans > 0 && calls(behaviour).some(({ state }) => state === 'not sent'),
  );
  if (!sendsNone) return behaviours;
  return behaviours.map((behaviour) => ({
    ...behaviour,
    fields: behaviour.fields.map((field) =>
      field.name === 'model calls' ? { name: field.name, turn: field.turn, state: 'not sent' } : field,
    ),
  }));
}

function playableBy(row: Row): readonly Behaviour[] {
  return behavioursOf(row.handOff, apiOf(row)).filter(({ name }) => row.without?.[name] === undefined);
}

function apiOf(row: Row) {
  const api = APIS.find(({ name }) => name === row.api);
  if (api === undefined) throw new Error(`${row.id}: no model API is called ${row.api}`);
  return { api, reasoning: api.reportsReasoning };
}

async function playBehaviour(
  row: Row,
  environment: Environment,
  behaviour: Behaviour,
  options: PlayRowOptions,
): Promise<PlayedBehaviour> {
  const { name, agent, inner, turns } = behaviour;
  const settings = row.settings ?? {};
  const conversationId = conversationIdOf(`${row.id} ${name}`, settings);
  const played = await playRun(
    {
      ...{ framework: row.id, scenario: name, variant: row.variant ?? 'default', settings, env: row.env ?? {} },
      ...{ api: apiOf(row).api, conversationId, userId: 'user_conformance', serviceName: 'conformance' },
      ...{ agent, inner, turns, handsOff: inner !== null && row.handOff === 'transfer' },
    },
    environment,
    { timeoutMs: options.timeoutMs, output: 'kept' },
  );
  const exported = exportIn(played.requests);
  const { served, answers } = played;
  const seen = { served, answers: [...answers] };
  keep({ folder: path.join(options.out, row.id), behaviour: name }, exported, seen);
  return {
    ...(await readBehaviour(behaviour, conversationId, exported, seen)),
    complaints: complaintsOf(played, behaviour),
  };
}

/** Reads kept exports again, and compares: no row is installed or played. */
export async function rereadRow(row: Row, result: RowResult, out: string): Promise<RowResult> {
  const behaviours: PlayedBehaviour[] = [];
  for (const behaviour of playableBy(row)) {
    const before = result.behaviours.find(({ name }) => name === behaviour.name);
    const kept = tryReadKept({ folder: path.join(out, row.id), behaviour: behaviour.name });
    if (before === undefined) continue;
    if (kept === undefined) {
      behaviours.push(before);
      continue;
    }
    const id = conversationIdOf(`${row.id} ${behaviour.name}`, row.settings ?? {});
    const read = await readBehaviour(behaviour, id, kept.exported, kept.played);
    behaviours.push({ ...read, complaints: before.complaints });
  }
  return { ...result, behaviours: withoutCoincidences(behaviours) };
}

async function readBehaviour(
  { name, agent, inner, turns }: Behaviour,
  conversationId: string,
  exported: KeptExport,
  { served, answers }: Played,
): Promise<Omit<PlayedBehaviour, 'complaints'>> {
  const { conversations } = await understandRecorded(recordedMessages(exported));
  const text = exportedText([
    ...exported.traces.map((bytes) => jsonOfRequest('traces', 'application/x-protobuf', Buffer.from(bytes))),
    ...exported.logs.map((bytes) => jsonOfRequest('logs', 'application/x-protobuf', Buffer.from(bytes))),
  ]);
  const script = {
    turns,
    agent: agent.name,
    inner: inner?.name ?? null,
    conversationId,
    served,
    answers: new Map(answers),
  };
  return { name, spans: text.spans, fields: compareExport(script, text, conversations) };
}

/** Deviations from the script, which explain wrong fields that are not the reader's fault. */
function complaintsOf({ exit, complaints, answers, raised, said, requests }: PlayedThrough, behaviour: Behaviour) {
  const found = [...complaints];
  for (const [at, { finalAnswer, error }] of behaviour.turns.entries()) {
    if (error !== undefined || answers.get(at)?.trim() === finalAnswer) continue;
    found.push(
      `turn ${at + 1} ended with ${JSON.stringify(raised.get(at)?.message ?? answers.get(at) ?? null).slice(0, 300)}`,
    );
  }
  if (requests.length === 0) found.push('nothing was exported');
  if (exit !== 0) found.push(`the agent's process ended with ${exit}`);
  // The driver prints the model's failure, which this behaviour is about.
  if (found.length > 0 && said.trim() !== '') found.push(said.trim().slice(-500));
  return found;
}
