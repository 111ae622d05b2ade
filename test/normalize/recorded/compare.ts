/**
 * Compares the normalized form of a recorded run with the script that drove the agent. A difference is named by its
 * field (`turns[1].tool_calls[0].result`), so that the table of exceptions can list the expected ones with their
 * reason.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Conversation } from '../../../src/model/conversation.ts';
import { dialectOf } from '../../../src/normalize/rule-dialect.ts';
import { readRecording } from '../../../src/offline/recording.ts';
import { understandRecorded } from '../../../src/engine/recorded/understand-recording.ts';
import {
  type InspectedCall,
  type InspectedTurn,
  toInspectionJson,
} from '../../../src/report/inspect/inspection-json.ts';

export interface Difference {
  readonly field: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

interface ExpectedCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  readonly result?: unknown;
  readonly error?: string;
  readonly killed?: boolean;
}
interface ExpectedTurn {
  readonly user_input: string;
  readonly final_answer: string | null;
  readonly llm_calls: number;
  readonly tool_calls: readonly ExpectedCall[];
  readonly error?: { readonly message?: string };
  readonly tokens: { readonly [field: string]: number };
}
export interface Expected {
  readonly agent: string;
  readonly conversation_id: string;
  readonly conversation_id_conveyed: boolean | 'logs';
  readonly user_id: string;
  readonly content_capture: boolean;
  readonly turns: readonly ExpectedTurn[];
}

/** Recordings given to the project, and those captured by scripts/capture. */
const FOLDERS = ['recorded', 'captured'].map((name) => path.resolve(import.meta.dirname, '../../fixtures', name));

/** `<framework>@<version>/<scenario>[.<variant>]` */
export function recordedRuns(): readonly string[] {
  return FOLDERS.filter(existsSync).flatMap((root) =>
    readdirSync(root)
      .filter((folder) => folder.includes('@'))
      .toSorted()
      .flatMap((folder) =>
        readdirSync(path.join(root, folder))
          .filter((file) => file.endsWith('.expected.json'))
          .map((file) => `${folder}/${file.slice(0, -'.expected.json'.length)}`),
      ),
  );
}

/** The path of a run's files, without the part after its name. */
function placeOf(run: string): string {
  const places = FOLDERS.map((root) => path.join(root, run));
  return places.find((place) => existsSync(`${place}.expected.json`)) ?? run;
}

export function filesOf(run: string): readonly string[] {
  const file = placeOf(run);
  return [`${file}.json`, `${file}.logs.json`].filter((name) => existsSync(name));
}

export async function understandRun(run: string): Promise<readonly Conversation[]> {
  const { conversations } = await understandRecorded(readAll(filesOf(run)));
  return conversations;
}

async function* readAll(files: readonly string[]) {
  for (const file of files) yield* readRecording(file);
}

export async function differencesOf(run: string): Promise<readonly Difference[]> {
  // The cast is the fixtures' format.
  const expected = JSON.parse(readFileSync(`${placeOf(run)}.expected.json`, 'utf8')) as Expected;
  const conversations = toInspectionJson(await understandRun(run), dialectOf);
  const found: Difference[] = [];
  const differs = (field: string, wanted: unknown, actual: unknown, isSame = isDeepStrictEqual(wanted, actual)) => {
    if (!isSame) found.push({ field, expected: wanted, actual });
  };
  if (expected.conversation_id_conveyed !== false) {
    differs(
      'conversation_id',
      [expected.conversation_id],
      conversations.map(({ conversation_id: id }) => id),
    );
  }
  differs('agent', expected.agent, conversations[0]?.agent);
  const turns = conversations.flatMap((conversation) => conversation.turns);
  differs('turns.length', expected.turns.length, turns.length);
  for (const [at, wanted] of expected.turns.entries()) {
    const turn = turns[at];
    if (turn !== undefined) compareTurns(`turns[${at}]`, wanted, turn, differs);
  }
  return found;
}

type Differs = (field: string, expected: unknown, actual: unknown, isSame?: boolean) => void;

function compareTurns(at: string, expected: ExpectedTurn, actual: InspectedTurn, differs: Differs): void {
  differs(`${at}.user_input`, expected.user_input, actual.user_input);
  differs(`${at}.final_answer`, expected.final_answer, actual.final_answer);
  differs(`${at}.llm_calls`, expected.llm_calls, actual.llm_calls);
  for (const field of ['input', 'output', 'cached_input', 'reasoning'] as const) {
    differs(`${at}.tokens.${field}`, expected.tokens[field], actual.tokens[field]);
  }
  differs(`${at}.error`, expected.error?.message ?? expected.error ?? null, actual.error, sameError(expected, actual));
  differs(`${at}.tool_calls.length`, expected.tool_calls.length, actual.tool_calls.length);
  for (const [index, call] of expected.tool_calls.entries()) {
    const there = actual.tool_calls[index];
    if (there !== undefined) compareCalls(`${at}.tool_calls[${index}]`, call, there, differs);
  }
}

function sameError(expected: ExpectedTurn, actual: InspectedTurn): boolean {
  if (expected.error === undefined) return actual.error === null;
  return actual.error?.includes(expected.error.message ?? '') ?? false;
}

function compareCalls(at: string, expected: ExpectedCall, actual: InspectedCall, differs: Differs): void {
  differs(`${at}.name`, expected.name, actual.name);
  differs(`${at}.id`, expected.id, actual.id);
  differs(`${at}.args`, expected.args, plain(actual.args));
  if (expected.error === undefined) {
    differs(`${at}.result`, expected.result ?? null, plain(actual.result));
    differs(`${at}.error`, null, actual.error, expected.killed === true || actual.error === null);
  } else {
    const message = expected.error.replace(/^\w+: /, '');
    differs(`${at}.error`, expected.error, actual.error, actual.error?.includes(message) ?? false);
  }
}

/** Our JSON objects have no prototype; those of the fixtures have one. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
