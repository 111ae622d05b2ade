/**
 * A plain OpenTelemetry SDK keeps 128 attributes of a span. OpenInference writes some for each message of the history,
 * so a long conversation loses the last ones: the answer, the tokens, and the end of the history. The limit is set so
 * low here that short recordings lose them.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readRecording } from '../../../src/offline/recording.ts';
import { understandRecorded } from '../../../src/engine/recorded/understand-recording.ts';
import { filesOf, understandRun } from './compare.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'assay-dropped-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Recorded {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: { attributes?: unknown[]; droppedAttributesCount?: number }[] }[];
  }[];
}

async function withAttributesMax(run: string, max: number) {
  const lines = readFileSync(filesOf(run)[0] ?? '', 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      // The cast is OTLP.
      const request = JSON.parse(line) as Recorded;
      const spans = request.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
      for (const span of spans) {
        const count = span.attributes?.length ?? 0;
        if (count <= max) continue;
        span.attributes = span.attributes?.slice(0, max) ?? [];
        span.droppedAttributesCount = count - max;
      }
      return JSON.stringify(request);
    });
  const file = path.join(folder, 'run.json');
  writeFileSync(file, lines.join('\n'));
  return (await understandRecorded(readRecording(file))).conversations;
}

test.each([
  ['openinference-openai@4.2.7/support_parallel_details', 18],
  ['openinference-openai@4.2.7/support_parallel_details.session', 18],
  ['openinference-openai@4.2.7/support_parallel_details.responses', 18],
  ['openinference-openai@4.2.7/meeting_tool_error_recovery', 20],
  ['openinference-anthropic@0.2.8/support_parallel_details', 18],
  ['openinference-langchain@4.1.1/support_parallel_details', 14],
  ['openai-agents@0.20.0/support_parallel_details', 18],
])(
  '%s is understood with %i attributes a span: questions and tool calls, and that something is missing',
  async (run, max) => {
    const whole = (await understandRun(run)).flatMap(({ turns }) => turns);
    const turns = (await withAttributesMax(run, max)).flatMap((conversation) => conversation.turns);

    expect(turns.map(({ userInput }) => userInput.text)).toEqual(whole.map(({ userInput }) => userInput.text));
    expect(turns.map(callsOf)).toEqual(whole.map(callsOf));
    expect(turns.every(({ flags }) => flags.includes('attributes-dropped'))).toBe(true);
  },
);

function callsOf({ toolCalls }: Awaited<ReturnType<typeof understandRun>>[number]['turns'][number]) {
  return toolCalls.map(({ id, name, args, result }) => [id, name, args.text.replaceAll(' ', ''), result.json]);
}
