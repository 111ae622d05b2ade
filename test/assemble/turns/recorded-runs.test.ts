/** Real exports, compared with the script that drove the agent. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildTurns } from '../../../src/assemble/build-turns.ts';
import type { Turn } from '../../../src/model/turn.ts';
import { normalize } from '../../../src/normalize/normalize.ts';
import { readFixture } from '../../normalize/support/otlp.ts';

interface ExpectedCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  readonly result?: unknown;
  /** With the class in front, if spans have it as the type. */
  readonly error?: string;
}
interface Expected {
  readonly conversation_id: string;
  readonly conversation_id_conveyed: boolean | 'logs';
  readonly user_id: string;
  readonly agent: string;
  readonly turns: readonly {
    readonly user_input: string;
    readonly final_answer: string | null;
    readonly llm_calls: number;
    readonly tool_calls: readonly ExpectedCall[];
    readonly error?: { readonly message: string };
    readonly tokens: { readonly input: number; readonly output: number };
  }[];
}

const ROOT = path.resolve(import.meta.dirname, '../../fixtures/genai');

function load(name: string) {
  const file = path.join(ROOT, name);
  // The cast is the fixture's format.
  const expected = JSON.parse(readFileSync(`${file}.expected.json`, 'utf8')) as Expected;
  const turns = readFixture(file).flatMap((trace) => buildTurns(normalize(trace)));
  return { expected, turns: turns.toSorted((a, b) => a.startedAtMs - b.startedAtMs) };
}

function runsOf(folder: string): readonly string[] {
  const files = readdirSync(path.join(ROOT, folder)).filter((file) => file.endsWith('.expected.json'));
  return files.map((file) => `${folder}/${file.replace('.expected.json', '')}`);
}

/** Content was off, or the process was killed: these have their own tests below. */
const INCOMPLETE = /content_off|process_killed/;

describe.each(
  [...runsOf('ai-sdk-7'), ...runsOf('otel-contrib-openai-0.22'), ...runsOf('mastra-1.71')].filter(
    (name) => !INCOMPLETE.test(name),
  ),
)('%s', (name) => {
  const { expected, turns } = load(name);

  test('gives the turns that there were, with what was asked and answered', () => {
    expect(
      turns.map((turn) => [turn.userInput.text, turn.finalAnswer.state === 'missing' ? null : turn.finalAnswer.text]),
    ).toEqual(expected.turns.map((turn) => [turn.user_input, turn.final_answer]));
  });

  test('gives each tool call with its arguments, and its result or its error', () => {
    for (const [at, { tool_calls: calls }] of expected.turns.entries()) {
      expect(turns[at]?.toolCalls.map(comparable)).toEqual(
        calls.map((call) => ({
          id: call.id,
          name: call.name,
          args: call.args,
          ...(call.error === undefined
            ? { result: call.result, error: undefined }
            : { result: undefined, error: call.error.replace(/^\w+: /, '') }),
          answered: true,
          // Also if the model's span leaves out the calls it asked for, as Mastra's does: the next model call shows
          // them.
          hasRequest: true,
        })),
      );
    }
  });

  test('counts model calls and tokens once', () => {
    expect(turns.map((turn) => [turn.llmCalls, turn.usage?.inputTokens, turn.usage?.outputTokens])).toEqual(
      expected.turns.map(({ llm_calls: calls, tokens }) => [calls, tokens.input, tokens.output]),
    );
  });

  test('knows which turns failed, and why', () => {
    for (const [at, turn] of turns.entries()) {
      const error = expected.turns[at]?.error;
      if (error === undefined) expect(turn.error).toBeUndefined();
      else expect(turn.error?.message).toContain(error.message);
    }
  });

  test('knows whose they were', () => {
    for (const turn of turns) {
      if (expected.conversation_id_conveyed === true) expect(turn.conversationId).toBe(expected.conversation_id);
      else expect([turn.conversationId, turn.conversationIdSource]).toEqual([undefined, 'synthetic']);
      // In the run with a sub-agent, the script names the sub-agent; the turn belongs to the agent that got the
      // request.
      expect(turn.agent.name).toBe(name.includes('subagent') ? 'front_desk' : expected.agent);
      expect(turn.flags).toEqual([]);
    }
  });
});

function comparable(call: Turn['toolCalls'][number]) {
  return {
    id: call.id,
    name: call.name,
    args: call.args.json,
    result: call.error === undefined ? call.result.json : undefined,
    error: call.error?.message,
    answered: call.answered,
    hasRequest: call.requestedBy !== undefined,
  };
}

describe('a run whose content was not captured', () => {
  const { expected, turns } = load('ai-sdk-7/meeting_success.content_off');

  test('says so, and still has the calls, the tokens and the conversation', () => {
    for (const [at, turn] of turns.entries()) {
      expect(turn.flags).toContain('content-missing');
      expect([turn.userInput.state, turn.finalAnswer.state]).toEqual(['missing', 'missing']);
      expect(turn.toolCalls.map(({ name }) => name)).toEqual(expected.turns[at]?.tool_calls.map(({ name }) => name));
      expect(turn.toolCalls.map(({ args, result, answered }) => [args.state, result.state, answered])).toEqual(
        turn.toolCalls.map(() => ['missing', 'missing', true]),
      );
      expect(turn.usage?.inputTokens).toBe(expected.turns[at]?.tokens.input);
      expect(turn.conversationId).toBe(expected.conversation_id);
    }
  });
});

describe('a run that was killed within a tool', () => {
  const { expected, turns } = load('ai-sdk-7/meeting_process_killed');
  const killed = turns[1];

  test('is a turn without a root and without an answer, whose last call has no result', () => {
    expect(killed?.flags).toContain('root-missing');
    expect(killed?.userInput.text).toBe(expected.turns[1]?.user_input);
    expect(killed?.finalAnswer.state).toBe('missing');
    expect(killed?.toolCalls.map(({ name, answered, spanId }) => [name, answered, spanId])).toEqual([
      ['book_meeting', false, undefined],
    ]);
    expect(killed?.finishReasons).toEqual(['tool_call']);
  });
});
