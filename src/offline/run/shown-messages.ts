/**
 * An agent that exports no spans may show what it did in its answer, as the messages that model APIs take and give:
 *
 *     { "messages": [ {"role": "user", "content": "…"}, {"role": "assistant", "tool_calls": [ … ]}, {"role": "tool", … }, … ],
 *       "state": …, "agent": "…", "version": "…" }
 *
 * Spans are made of them, by the conventions, and go the way of all others. A command says all turns at once, others one after the other;
 * where somebody gives the whole history each time, what is behind its last message of a user is the turn.
 */
import { createHash } from 'node:crypto';
import type { Json } from '../../model/json.ts';
import { excerptRequest } from '../../score/suite-test/excerpt-request.ts';
import { instructionsIn, member, messagesIn, splitIntoTurns, textOf, turnOf } from '../messages/turns-of-messages.ts';
import type { RecordedBatch } from '../../engine/recorded/recorded-batch.ts';
import { recordedRequest } from '../recording.ts';

export interface ShownRun {
  /** Turns as the agent was asked. */
  readonly turns: readonly Json[];
  /** Answers, one for all turns or one for each. */
  readonly answers: readonly Json[];
  readonly conversationId: string;
  readonly startedAtMs: number;
}

/** Undefined where no answer has messages. */
export function spansOfMessages(run: ShownRun): readonly RecordedBatch[] | undefined {
  const { answers, conversationId, startedAtMs } = run;
  if (!answers.some((answer) => messagesIn(answer) !== undefined)) return undefined;
  const forAll = answers.length === 1;
  const turns = answers.flatMap((answer, index) => {
    const given = run.turns[index];
    const messages = messagesIn(answer);
    if (messages === undefined) return [turnOf([], { given, answer: textOf(answer) })];
    const parts = splitIntoTurns(messages);
    const wanted = forAll ? parts : parts.slice(-1);
    return wanted.map((part, at) => {
      const state = at === wanted.length - 1 ? member(answer, 'state') : undefined;
      return turnOf(part, { given: forAll ? run.turns[at] : given, state });
    });
  });
  const excerpt = {
    is: 'excerpt',
    agent: lastText(answers, 'agent'),
    version: lastText(answers, 'version'),
    environment: undefined,
    attributes: new Map(),
    instructions: instructionsIn(answers.map(messagesIn).findLast((messages) => messages !== undefined) ?? []),
    state: undefined,
    turns,
  } as const;
  const traceIdOf = (turn: number) => createHash('md5').update(`${conversationId}/${turn}`).digest('hex');
  const request = excerptRequest(excerpt, undefined, { conversationId, traceIdOf, startedAtMs });
  return recordedRequest(request, "the agent's messages");
}

function lastText(answers: readonly Json[], name: string): string | undefined {
  return answers.map((answer) => member(answer, name)).findLast((value) => typeof value === 'string');
}
