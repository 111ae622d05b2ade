/** An agent of one model call and one tool call, with spans by the conventions of OpenTelemetry, in this process. */
import { SpanStatusCode, trace } from '@opentelemetry/api';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { endConversation } from '../../src/instrument/instrument.ts';
import { CapturingSpanProcessor } from '../../src/vitest/vitest.ts';

export function startTelemetry(): NodeSDK {
  const sdk = new NodeSDK({
    spanProcessors: [new CapturingSpanProcessor()],
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  return sdk;
}

export interface Booking {
  readonly id: string;
  readonly participants: readonly string[];
  readonly time: string;
  readonly fails?: boolean;
}

export async function book({ id, participants, time, fails = false }: Booking): Promise<string> {
  const tracer = trace.getTracer('test-agent');
  const answer = fails ? '' : `Booked for ${time} with ${participants.join(' and ')}.`;
  await tracer.startActiveSpan('invoke_agent scheduler', async (root) => {
    root.setAttributes({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'scheduler',
      'gen_ai.conversation.id': id,
      'gen_ai.input.messages': JSON.stringify([
        { role: 'user', parts: [{ type: 'text', content: 'Book it, please.' }] },
      ]),
      'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: answer }] }]),
    });
    // The activity of other tests must not be included.
    await new Promise((resolve) => setImmediate(resolve));
    tracer.startActiveSpan('execute_tool book_meeting', (span) => {
      span.setAttributes({
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'book_meeting',
        'gen_ai.tool.call.id': `call-${id}`,
        'gen_ai.tool.call.arguments': JSON.stringify({ participants, time, duration: 30 }),
        'gen_ai.tool.call.result': JSON.stringify({ status: 'ok' }),
      });
      if (fails) span.setStatus({ code: SpanStatusCode.ERROR, message: 'the calendar is down' });
      span.end();
    });
    endConversation();
    root.end();
  });
  return answer;
}
