/** Experiments in their folders, with a conversation for each run. */
import path from 'node:path';
import type { ExperimentResult } from '../../../src/model/experiment.ts';
import { transcodeTraces } from '../../../src/otlp/json-transcoder.ts';
import { createExperiment } from '../../../src/store/experiment/experiment-folder.ts';

/** Each run leaves a trace in which the agent is asked, books, and answers. */
export function keepExperiment(folder: string, { experiment, runs }: ExperimentResult, answer: string): void {
  const kept = createExperiment(path.join(folder, 'experiments'), experiment);
  for (const [index, run] of runs.entries())
    kept.append(run, { traces: [traceOf(run.conversationId, index, answer)], logs: [] });
  kept.close();
}

function traceOf(conversationId: string, index: number, answer: string): Uint8Array {
  const traceId = (index + 1).toString(16).padStart(32, '0');
  const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } });
  const message = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
  const span = (spanId: string, parentSpanId: string, name: string, attributes: readonly object[]) => ({
    traceId,
    spanId,
    parentSpanId,
    name,
    startTimeUnixNano: '1760000000000000000',
    endTimeUnixNano: '1760000001000000000',
    attributes,
  });
  const spans = [
    span('00000000000000a1', '', 'invoke_agent scheduler', [
      attribute('gen_ai.operation.name', 'invoke_agent'),
      attribute('gen_ai.conversation.id', conversationId),
      attribute('gen_ai.input.messages', message('user', 'Book Ana at nine')),
      attribute('gen_ai.output.messages', message('assistant', answer)),
    ]),
    span('00000000000000a2', '00000000000000a1', 'execute_tool book_meeting', [
      attribute('gen_ai.operation.name', 'execute_tool'),
      attribute('gen_ai.tool.name', 'book_meeting'),
      attribute('gen_ai.tool.call.arguments', '{"with":"Ana"}'),
      attribute('gen_ai.tool.call.result', '{"id":"mtg_1"}'),
    ]),
  ];
  return transcodeTraces(Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })));
}
