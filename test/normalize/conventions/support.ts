/**
 * The cases of the reference on span conventions: each is written as some emitter writes it, and read as a
 * conversation.
 */
import { buildTurns } from '../../../src/assemble/build-turns.ts';
import { groupConversations } from '../../../src/assemble/group-conversations.ts';
import { normalize, type TraceSource } from '../../../src/normalize/normalize.ts';
import { dialectOf } from '../../../src/normalize/rule-dialect.ts';
import { conversationIdOf } from '../../../src/assemble/build-conversation.ts';
import { toInspectionJson } from '../../../src/report/inspect/inspection-json.ts';
import { type SpanSpec, traceOf } from '../support/otlp.ts';

export const QUESTION = 'Is the room free at ten?';
export const ANSWER = 'It is free, shall I book it?';
export const CALL = 'call_1f2e3d4c5b6a7980';
export const ARGS = { room: 'A', hour: 10 };
export const RESULT = { free: true };

export type Attributes = Readonly<Record<string, unknown>>;

export function inspected(...sources: readonly TraceSource[]): ReturnType<typeof toInspectionJson> {
  const turns = sources.flatMap((source) => buildTurns(normalize(source)));
  return toInspectionJson(groupConversations(turns, conversationIdOf), dialectOf);
}

/** The only conversation and its only turn. */
export function onlyTurn(source: TraceSource) {
  const [conversation, ...others] = inspected(source);
  const [turn, ...more] = conversation?.turns ?? [];
  if (turn === undefined || others.length + more.length > 0) throw new Error('not one conversation of one turn');
  return turn;
}

export function turnOf(...specs: readonly SpanSpec[]) {
  return onlyTurn(traceOf(...specs));
}

/** The normalized form of every case with one tool call. */
export const ONE_CALL = {
  user_input: QUESTION,
  final_answer: ANSWER,
  tool_calls: [{ id: CALL, name: 'is_free', args: ARGS, result: RESULT, error: null }],
  error: null,
} as const;

export const json = (value: unknown) => JSON.stringify(value);

export const said = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });
export const asked = { role: 'assistant', parts: [{ type: 'tool_call', id: CALL, name: 'is_free', arguments: ARGS }] };
export const shown = { role: 'tool', parts: [{ type: 'tool_call_response', id: CALL, response: RESULT }] };

/** agent 'a' > call '1', tool '2', call '3', at plausible times. */
export function loop(parts: {
  readonly agent?: Partial<SpanSpec>;
  readonly first: Partial<SpanSpec>;
  readonly tool: Partial<SpanSpec>;
  readonly second: Partial<SpanSpec>;
}): readonly SpanSpec[] {
  return [
    { id: 'a', from: 0, to: 100, ...parts.agent },
    { id: '1', parent: 'a', from: 10, to: 20, ...parts.first },
    { id: '2', parent: 'a', from: 30, to: 40, ...parts.tool },
    { id: '3', parent: 'a', from: 50, to: 90, ...parts.second },
  ];
}
