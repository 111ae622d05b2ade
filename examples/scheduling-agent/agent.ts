/**
 * The agent: a loop of model calls and tool calls until the model answers, instrumented by the OpenTelemetry GenAI
 * conventions as a careful team would do it by hand:
 *
 *     invoke_agent scheduling-agent
 *     ├─ chat scripted-1
 *     ├─ execute_tool check_availability
 *     └─ …
 *
 * Each turn is a trace of its own; the conversation id comes from the baggage (see `telemetry.ts`).
 */
import { type Attributes, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { endConversation, recordState } from '../../src/instrument/instrument.ts';
import type { Calendar } from './calendar.ts';
import { ModelError, ScriptedModel, type ModelMessage, type ModelToolCall } from './scripted-model.ts';
import { runTool, TOOLS } from './tools.ts';

const AGENT_NAME = 'scheduling-agent';
const STEPS_MAX = 20;
const INSTRUCTIONS =
  'You schedule meetings. Look at the calendars, check that everybody is free, propose other times if not, and book.';

interface BookedEvent {
  readonly participants: readonly string[];
  readonly time: string;
  readonly duration: number;
}

/** The agent's knowledge at the end: recorded for the evaluator with every turn. */
interface SchedulingState {
  conversation_stage: 'collecting' | 'completed' | 'failed';
  scheduling_context: {
    booking_confirmed: boolean;
    booked_event: BookedEvent | null;
    conflicts: unknown[];
    proposed_alternatives: unknown[];
  };
}

export class SchedulingAgent {
  readonly #tracer = trace.getTracer(AGENT_NAME);
  readonly #model: ScriptedModel;
  readonly #calendar: Calendar;
  readonly #version: string;
  readonly #userId: string;
  readonly #messages: ModelMessage[] = [];
  readonly #state: SchedulingState = {
    conversation_stage: 'collecting',
    scheduling_context: { booking_confirmed: false, booked_event: null, conflicts: [], proposed_alternatives: [] },
  };

  constructor(options: {
    readonly model: ScriptedModel;
    readonly calendar: Calendar;
    readonly version: string;
    readonly userId: string;
  }) {
    this.#model = options.model;
    this.#calendar = options.calendar;
    this.#version = options.version;
    this.#userId = options.userId;
  }

  /** One turn. Throws what the model throws; the caller stands for the chat window, which then shows nothing. */
  answer(userInput: string, turn: { readonly isLast: boolean }): Promise<string> {
    const attributes = {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'scripted',
      'gen_ai.agent.name': AGENT_NAME,
      'gen_ai.agent.version': this.#version,
      'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: userInput }] }]),
      'user.id': this.#userId,
    };
    const options = { kind: SpanKind.INTERNAL, root: true, attributes };
    return this.#tracer.startActiveSpan(`invoke_agent ${AGENT_NAME}`, options, async (span) => {
      try {
        const answer = await this.#run(userInput);
        span.setAttribute('gen_ai.output.messages', said(answer));
        return answer;
      } catch (error) {
        this.#state.conversation_stage = 'failed';
        fail(span, error);
        throw error;
      } finally {
        recordState(this.#state);
        if (turn.isLast || this.#state.conversation_stage === 'failed') endConversation();
        span.end();
      }
    });
  }

  async #run(userInput: string): Promise<string> {
    this.#messages.push({ role: 'user', content: userInput });
    for (let step = 0; step < STEPS_MAX; step++) {
      const message = await this.#chat();
      this.#messages.push(message);
      if (message.toolCalls.length === 0) return message.content;
      for (const call of message.toolCalls) this.#messages.push(this.#execute(call));
    }
    throw new Error(`no answer after ${STEPS_MAX} steps`);
  }

  #chat() {
    const attributes = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'scripted',
      'gen_ai.request.model': ScriptedModel.requested,
      'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: INSTRUCTIONS }]),
      'gen_ai.input.messages': JSON.stringify(this.#messages.map(asConventional)),
      'gen_ai.tool.definitions': JSON.stringify(TOOLS),
    };
    return this.#inSpan(`chat ${ScriptedModel.requested}`, SpanKind.CLIENT, attributes, async (span) => {
      const response = await this.#model.complete(this.#messages);
      span.setAttributes({
        'gen_ai.response.id': response.id,
        'gen_ai.response.model': response.model,
        'gen_ai.response.finish_reasons': [response.finishReason],
        'gen_ai.usage.input_tokens': response.usage.inputTokens,
        'gen_ai.usage.output_tokens': response.usage.outputTokens,
        'gen_ai.usage.cost': costUsd(response.usage),
        'gen_ai.output.messages': JSON.stringify([
          {
            ...asConventional(response.message),
            finish_reason: response.finishReason === 'tool_calls' ? 'tool_call' : 'stop',
          },
        ]),
      });
      return response.message;
    });
  }

  #execute(call: ModelToolCall): ModelMessage {
    const attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': call.name,
      'gen_ai.tool.call.id': call.id,
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.arguments': JSON.stringify(call.arguments),
    };
    return this.#tracer.startActiveSpan(`execute_tool ${call.name}`, { attributes }, (span): ModelMessage => {
      try {
        const result = runTool(this.#calendar, call.name, call.arguments);
        span.setAttribute('gen_ai.tool.call.result', JSON.stringify(result));
        this.#remember(call, result);
        return { role: 'tool', callId: call.id, name: call.name, result };
      } catch (error) {
        // The model sees the error and may retry: a failed tool is not a failed turn.
        fail(span, error);
        return { role: 'tool', callId: call.id, name: call.name, result: { error: String(error) } };
      } finally {
        span.end();
      }
    });
  }

  #remember(call: ModelToolCall, result: unknown): void {
    const context = this.#state.scheduling_context;
    switch (call.name) {
      case 'check_availability':
        context.conflicts.push(...listIn(result, 'conflicts'));
        break;
      case 'propose_alternatives':
        context.proposed_alternatives.push(...listIn(result, 'alternatives'));
        break;
      case 'book_meeting': {
        // The cast is the tool's result type, which the calendar returns.
        const { participants, time, duration } = result as BookedEvent;
        context.booking_confirmed = true;
        context.booked_event = { participants, time, duration };
        this.#state.conversation_stage = 'completed';
        break;
      }
      case 'search_calendar':
        break;
    }
  }

  async #inSpan<T>(name: string, kind: SpanKind, attributes: Attributes, run: (span: Span) => Promise<T>): Promise<T> {
    return this.#tracer.startActiveSpan(name, { kind, attributes }, async (span) => {
      try {
        return await run(span);
      } catch (error) {
        fail(span, error);
        throw error;
      } finally {
        span.end();
      }
    });
  }
}

/** Prices as of a larger model: 3 and 15 dollars per million tokens. */
function costUsd({
  inputTokens,
  outputTokens,
}: {
  readonly inputTokens: number;
  readonly outputTokens: number;
}): number {
  return (inputTokens * 3 + outputTokens * 15) / 1_000_000;
}

function fail(span: Span, error: unknown): void {
  const failure = error instanceof Error ? error : new Error(String(error));
  span.recordException(failure);
  span.setAttribute('error.type', failure instanceof ModelError ? String(failure.status) : failure.name);
  span.setStatus({ code: SpanStatusCode.ERROR, message: failure.message });
}

function said(text: string): string {
  return JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: text }], finish_reason: 'stop' }]);
}

/** A message in the form of the GenAI conventions. */
function asConventional(message: ModelMessage) {
  switch (message.role) {
    case 'user':
      return { role: 'user', parts: [{ type: 'text', content: message.content }] };
    case 'assistant': {
      const text = message.content === '' ? [] : [{ type: 'text', content: message.content }];
      const calls = message.toolCalls.map(({ id, name, arguments: args }) => ({
        type: 'tool_call',
        id,
        name,
        arguments: args,
      }));
      return { role: 'assistant', parts: [...text, ...calls] };
    }
    case 'tool':
      return {
        role: 'tool',
        parts: [{ type: 'tool_call_response', id: message.callId, response: message.result }],
      };
  }
}

function listIn(result: unknown, name: string): readonly unknown[] {
  const list: unknown = typeof result === 'object' && result !== null ? Reflect.get(result, name) : undefined;
  return Array.isArray(list) ? list : [];
}
