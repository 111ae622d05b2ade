/**
 * Compares what Assay reads of an export with what the script knows. A field whose value is nowhere in the export was
 * not sent, and its reading is neither right nor wrong.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Served } from '../capture/model-server.ts';
import type { PlayedTurn, ToolOutcome } from '../capture/script.ts';
import type { Conversation } from '../../src/model/conversation.ts';
import type { Json } from '../../src/model/json.ts';
import type { ToolCall, Turn } from '../../src/model/turn.ts';
import type { ExportedText } from './exported-text.ts';

export type FieldName = (typeof FIELDS)[number];
export const FIELDS = [
  'turns',
  'conversation',
  'agent',
  'question',
  'answer',
  'failure',
  'tools',
  'arguments',
  'results',
  'tool errors',
  'model calls',
  'input tokens',
  'output tokens',
  'cached tokens',
  'reasoning tokens',
  'second agent',
] as const;

export type Field = {
  readonly name: FieldName;
  /** From 1; 0 for what belongs to the conversation. */
  readonly turn: number;
} & (
  | { readonly state: 'right' }
  | { readonly state: 'not sent' }
  | { readonly state: 'wrong'; readonly expected: unknown; readonly read: unknown }
);

export interface Script {
  readonly turns: readonly PlayedTurn[];
  readonly agent: string;
  readonly inner: string | null;
  readonly conversationId: string;
  /** Every reply that the model server gave. */
  readonly served: readonly Served[];
  /** Answers as the application saw them. */
  readonly answers: ReadonlyMap<number, string | null>;
}

interface Found {
  readonly sent: boolean;
  readonly right: boolean;
  readonly expected: unknown;
  readonly read: unknown;
}

export function compareExport(
  script: Script,
  text: ExportedText,
  conversations: readonly Conversation[],
): readonly Field[] {
  const turns = conversations.flatMap((conversation) => conversation.turns).toSorted(byStart);
  const fields: Field[] = [];
  const add = (name: FieldName, turn: number, { sent, right, expected, read }: Found) => {
    if (!sent) fields.push({ name, turn, state: 'not sent' });
    else if (right) fields.push({ name, turn, state: 'right' });
    else fields.push({ name, turn, state: 'wrong', expected, read: read ?? null });
  };
  add('turns', 0, same(text.spans > 0, script.turns.length, turns.length));
  const ids = conversations.map(({ id }) => String(id));
  add('conversation', 0, same(text.has(script.conversationId), [script.conversationId], ids));
  add('agent', 0, same(text.hasName(script.agent), script.agent, conversations[0]?.agent.name));
  if (script.inner !== null) add('second agent', 0, secondAgent(script.inner, text, turns));
  for (const [at, turn] of script.turns.entries()) {
    const read = turns[at];
    for (const [name, found] of turnFields(script, { turn, at, read }, text)) add(name, at + 1, found);
  }
  return fields;
}

function* turnFields(
  script: Script,
  { turn, at, read }: { readonly turn: PlayedTurn; readonly at: number; readonly read: Turn | undefined },
  text: ExportedText,
): Generator<readonly [FieldName, Found]> {
  yield ['question', same(text.has(turn.user), turn.user, read?.userInput.text.trim())];
  yield ['answer', answer(turn, script.answers.get(at), text, read)];
  if (turn.error !== undefined) {
    const sent = text.failedSpans > 0 || ('message' in turn.error && text.has(turn.error.message));
    yield ['failure', { sent, right: read?.error !== undefined, expected: turn.error, read: read?.error }];
  }
  yield* toolFields(turn, text, read);
  yield* usageFields(
    script.served.filter((served) => served.turn === at),
    text,
    read,
  );
}

/** A turn without an answer is read right if nothing, or the error, stands in its place. */
function answer(turn: PlayedTurn, seen: string | null | undefined, text: ExportedText, read: Turn | undefined): Found {
  const found = read?.finalAnswer;
  const said = found === undefined || found.state === 'missing' ? null : found.text.trim();
  if (turn.finalAnswer !== null) return same(text.has(turn.finalAnswer), turn.finalAnswer, said);
  return { sent: text.spans > 0, right: said === null || said === '' || said === seen, expected: null, read: said };
}

const HAND_OVER = /transfer|hand_?off|delegate|refund_desk|ask_support_agent/i;

function* toolFields(
  turn: PlayedTurn,
  text: ExportedText,
  read: Turn | undefined,
): Generator<readonly [FieldName, Found]> {
  // How the hand-over itself shows differs too much; the second agent's tools are the same everywhere.
  const wanted = turn.tools.filter(({ name }) => !HAND_OVER.test(name));
  const calls = (read?.toolCalls ?? []).filter(({ name }) => !HAND_OVER.test(name));
  if (wanted.length === 0 && calls.length === 0) return;
  const sentArgs = wanted.every((call) => text.has(markOf(call.args)));
  const sentNames = wanted.every(({ name }) => text.hasName(name)) || sentArgs;
  const names = wanted.map(({ name }) => name).toSorted();
  yield ['tools', same(sentNames, names, calls.map(({ name }) => name).toSorted())];
  const pairs = paired(wanted, calls);
  const args = pairs.map(({ call }) => plain(call?.args.json));
  yield [
    'arguments',
    same(
      sentArgs,
      pairs.map(({ outcome }) => outcome.args),
      args,
    ),
  ];
  const good = pairs.filter(({ outcome }) => outcome.error === undefined);
  if (good.length > 0) {
    const sent = good.every(({ outcome }) => text.has(markOf(outcome.result)));
    const expected = good.map(({ outcome }) => outcome.result);
    const results = good.map(({ call }) => plain(call?.result.json));
    yield ['results', same(sent, expected, results)];
  }
  yield* errorFields(pairs, text);
}

function* errorFields(pairs: readonly Pair[], text: ExportedText): Generator<readonly [FieldName, Found]> {
  const failed = pairs.filter(({ outcome }) => outcome.error !== undefined);
  const accused = pairs.filter(({ outcome, call }) => outcome.error === undefined && call?.error !== undefined);
  if (failed.length === 0 && accused.length === 0) return;
  const messages = failed.map(({ outcome }) => (outcome.error ?? '').replace(/^\w+: /, ''));
  const read = pairs.map(({ call }) => call?.error?.message ?? null);
  const right =
    accused.length === 0 &&
    failed.every(({ call }, at) => call?.error !== undefined && `${call.error.message}`.includes(messages[at] ?? ''));
  // A result that only reads like an error is none, unless Assay takes it for one.
  const sent = right || messages.every((message) => text.hasFailure(message));
  yield ['tool errors', { sent, right, expected: messages, read }];
}

interface Pair {
  readonly outcome: ToolOutcome;
  readonly call: ToolCall | undefined;
}

/** Calls by their arguments, else by their names; what is left in order. */
function paired(outcomes: readonly ToolOutcome[], calls: readonly ToolCall[]): readonly Pair[] {
  const left = [...calls];
  const take = (fits: (call: ToolCall) => boolean) => {
    const at = left.findIndex(fits);
    return at === -1 ? undefined : left.splice(at, 1)[0];
  };
  return outcomes.map((outcome) => ({
    outcome,
    call:
      take(({ id }) => id === outcome.id) ??
      take(({ args }) => isDeepStrictEqual(plain(args.json), outcome.args)) ??
      take(({ name }) => name === outcome.name) ??
      left.shift(),
  }));
}

function* usageFields(
  served: readonly Served[],
  text: ExportedText,
  read: Turn | undefined,
): Generator<readonly [FieldName, Found]> {
  const replies = served.map(({ reply }) => reply).filter((reply) => reply.kind === 'answer');
  const failures = served.length - replies.length;
  const isSeen =
    replies.length > 0 &&
    replies.every(({ id, usage }) => text.has(id) || text.hasNumber(usage.output) || text.hasNumber(usage.input));
  const calls = read?.llmCalls ?? 0;
  // Clients repeat a call that failed; exporters write one span for all attempts or one for each.
  const right = calls >= replies.length && calls <= replies.length + failures;
  yield ['model calls', { sent: isSeen, right, expected: replies.length, read: calls }];
  const sum = (count: (reply: (typeof replies)[number]) => number) =>
    replies.reduce((all, reply) => all + count(reply), 0);
  const sentAs = (count: (reply: (typeof replies)[number]) => number) =>
    replies.length > 0 && (replies.every((reply) => text.hasNumber(count(reply))) || text.hasNumber(sum(count)));
  const { usage } = read ?? {};
  const cached = sentAs((reply) => reply.usage.cached);
  // Anthropic counts cached tokens apart: without them the sum is not known.
  const input =
    sentAs((reply) => reply.usage.input) || (cached && sentAs((reply) => reply.usage.input - reply.usage.cached));
  const output = sentAs((reply) => reply.usage.output);
  yield [
    'input tokens',
    same(
      input,
      sum((reply) => reply.usage.input),
      usage?.inputTokens,
    ),
  ];
  yield [
    'output tokens',
    same(
      output,
      sum((reply) => reply.usage.output),
      usage?.outputTokens,
    ),
  ];
  yield [
    'cached tokens',
    same(
      cached,
      sum((reply) => reply.usage.cached),
      usage?.cacheReadTokens,
    ),
  ];
  const reasoning = sum((reply) => reply.usage.reasoning);
  if (reasoning > 0)
    yield [
      'reasoning tokens',
      same(
        sentAs((reply) => reply.usage.reasoning),
        reasoning,
        usage?.reasoningTokens,
      ),
    ];
}

function secondAgent(inner: string, text: ExportedText, turns: readonly Turn[]): Found {
  const names = turns.flatMap(({ steps }) => steps.flatMap(({ agent }) => agent.name ?? []));
  return { sent: text.hasName(inner), right: names.includes(inner), expected: inner, read: [...new Set(names)] };
}

/** The part of a value that no other value of the script has. */
function markOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const values = Object.values(value);
  return String(values.find((item) => typeof item === 'string' && /[A-Z]/.test(item)) ?? values.at(-1));
}

function same(sent: boolean, expected: unknown, read: unknown): Found {
  return { sent, right: isDeepStrictEqual(expected, read), expected, read };
}

/** Assay's JSON objects have no prototype, those of the script have one. */
function plain(value: Json | undefined): unknown {
  return value === undefined ? null : JSON.parse(JSON.stringify(value));
}

function byStart(a: Turn, b: Turn): number {
  return a.startedAtMs - b.startedAtMs;
}
