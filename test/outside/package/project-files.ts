/** Files of the projects that the package is installed in. */

/** How each version of OpenTelemetry's SDK is started with these processors. */
export const TELEMETRY = {
  '1.10': `import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

export function start(processors) {
  const provider = new NodeTracerProvider();
  for (const processor of processors) provider.addSpanProcessor(processor);
  provider.register();
}
`,
  '1.30 and 2': `import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

export function start(processors) {
  new NodeTracerProvider({ spanProcessors: processors }).register();
}
`,
  newest: `import { NodeSDK } from '@opentelemetry/sdk-node';

export function start(processors) {
  new NodeSDK({
    spanProcessors: processors,
    autoDetectResources: false,
    metricReaders: [],
    logRecordProcessors: [],
  }).start();
}
`,
} as const;

/** An agent that reports all that spans lack, and prints what its spans then have. */
export const instrumented = (telemetry: string, api = '@opentelemetry/api') => `import { trace } from '${api}';
import {
  attachTruth, ConversationSpanProcessor, endConversation, feedback, inConversation, recordState,
} from 'assay/instrument';
import { start } from '${telemetry}';

const ended = [];
const keeping = { onStart() {}, onEnd: (span) => ended.push(span), forceFlush: async () => {}, shutdown: async () => {} };
start([new ConversationSpanProcessor(), keeping]);
const recorded = await inConversation({ id: 'ticket-1', truth: { time: 10 } }, async () => {
  await Promise.resolve();
  return trace.getTracer('agent').startActiveSpan('invoke_agent', (span) => {
    const answers = [recordState({ booked: true }), attachTruth({ time: 11 }), feedback({ score: 1 }), endConversation()];
    span.end();
    return answers;
  });
});
const [{ attributes, events }] = ended;
console.log(JSON.stringify({ recorded, attributes, events: events.map((event) => event.name) }));
`;

export const RECORDED = {
  recorded: [true, true, true, true],
  attributes: {
    'gen_ai.conversation.id': 'ticket-1',
    'assay.truth': '{"time":11}',
    'assay.conversation.state': '{"booked":true}',
    'assay.conversation.end': true,
  },
  events: ['assay.feedback'],
};

export const SETUP = `import { ConversationSpanProcessor } from 'assay/instrument';
import { CapturingSpanProcessor } from 'assay/vitest';
import { start } from './telemetry.mjs';

start([new ConversationSpanProcessor(), new CapturingSpanProcessor()]);
`;

export const VITEST_CONFIG = `import { defineConfig } from 'vitest/config';

export default defineConfig({ test: { setupFiles: ['./setup.mjs'] } });
`;

export const TEST = `import { trace } from '@opentelemetry/api';
import { endConversation, inConversation, recordState } from 'assay/instrument';
import { conversationOf, evaluationsOf, expectConversation } from 'assay/vitest';
import { expect, test } from 'vitest';

const said = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);

async function answer(question: string): Promise<string> {
  return inConversation({ id: 'c-1' }, () =>
    trace.getTracer('agent').startActiveSpan('invoke_agent clerk', (span) => {
      span.setAttributes({
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'clerk',
        'gen_ai.input.messages': said('user', question),
        'gen_ai.output.messages': said('assistant', 'We open at nine.'),
      });
      recordState({ answered: true });
      endConversation();
      span.end();
      return 'We open at nine.';
    }),
  );
}

test('an agent of this process passes, with what it recorded', async () => {
  const run = await conversationOf(() => answer('When do you open?'));
  const evaluations = await evaluationsOf(run, 'default', { id: 'c-1' });

  expect(run.result).toContain('nine');
  expect(evaluations.map(({ conversationId }) => conversationId)).toContain('c-1');
  await expectConversation(run).toPass('default');
  await expect(run).toPassSuite('default');
});

test('a recording passes, and fails where it should', async () => {
  await expectConversation('runs.jsonl', { id: 'good' }).toPass('tickets.yaml');
  await expect('runs.jsonl').not.toPassSuite('tickets.yaml');
  await expect('runs.jsonl').toFailSuite('tickets.yaml', ['path', 'score'], { id: 'lucky' });
  await expect('runs.jsonl').toFollowGolden('gt_001', { id: 'good', suite: 'tickets.yaml' });
});
`;

/** A test that must fail, and one whose assertion is not awaited. */
export const WRONG = `import { expectConversation } from 'assay/vitest';
import { test } from 'vitest';

test('the wrong way', async () => {
  await expectConversation('runs.jsonl', { id: 'lucky' }).toPass('tickets.yaml');
});

test('not awaited', async () => {
  void expectConversation('runs.jsonl', { id: 'good' }).toPass('tickets.yaml');
});
`;

export const TSCONFIG = {
  compilerOptions: {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    types: ['node'],
    skipLibCheck: false,
  },
  include: ['*.ts'],
};
