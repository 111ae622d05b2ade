import { context, propagation, trace } from '@opentelemetry/api';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  attachTruth,
  ConversationSpanProcessor,
  endConversation,
  feedback,
  inConversation,
  recordState,
} from '../../src/instrument/instrument.ts';

const exporter = new InMemorySpanExporter();
const sdk = new NodeSDK({
  autoDetectResources: false,
  spanProcessors: [new ConversationSpanProcessor(), new SimpleSpanProcessor({ exporter })],
});
const tracer = trace.getTracer('test');

beforeAll(() => sdk.start());
beforeEach(() => exporter.reset());
afterAll(async () => {
  await sdk.shutdown();
  trace.disable();
  context.disable();
  propagation.disable();
});

function span(name: string, run: () => void = () => {}): void {
  tracer.startActiveSpan(name, (active) => {
    run();
    active.end();
  });
}

function attributesOf(name: string) {
  const found = exporter.getFinishedSpans().filter((finished) => finished.name === name);
  expect(found, `spans named ${name}`).toHaveLength(1);
  return found[0]?.attributes ?? {};
}

describe('a conversation', () => {
  test('gives its id to every span below, however deep and across awaits', async () => {
    await inConversation({ id: 'c1' }, async () => {
      await tracer.startActiveSpan('agent', async (agent) => {
        await Promise.resolve();
        span('tool', () => span('http'));
        agent.end();
      });
    });
    span('after');

    for (const name of ['agent', 'tool', 'http']) expect(attributesOf(name)['gen_ai.conversation.id']).toBe('c1');
    expect(attributesOf('after')['gen_ai.conversation.id']).toBeUndefined();
  });

  test('marks the span that was already active', () => {
    span('request', () => inConversation({ id: 'c2' }, () => undefined));

    expect(attributesOf('request')['gen_ai.conversation.id']).toBe('c2');
  });

  test('travels as baggage and keeps what was in it', () => {
    const caller = propagation.setBaggage(context.active(), propagation.createBaggage({ tenant: { value: 'acme' } }));
    const carrier: Record<string, string> = {};
    context.with(caller, () => inConversation({ id: 'c3' }, () => propagation.inject(context.active(), carrier)));
    const received = propagation.extract(context.active(), carrier);
    context.with(received, () => span('served elsewhere'));

    expect(carrier.baggage).toBe('tenant=acme,gen_ai.conversation.id=c3');
    expect(attributesOf('served elsewhere')['gen_ai.conversation.id']).toBe('c3');
  });

  test('does not mix with another that runs at the same time', async () => {
    const run = (id: string) =>
      inConversation({ id }, async () => {
        await new Promise((resolve) => setImmediate(resolve));
        span(`agent of ${id}`);
      });
    await Promise.all([run('a'), run('b')]);

    expect(attributesOf('agent of a')['gen_ai.conversation.id']).toBe('a');
    expect(attributesOf('agent of b')['gen_ai.conversation.id']).toBe('b');
  });

  test('without an id runs all the same and stamps nothing', () => {
    const answer = inConversation({ id: '' }, () => {
      span('agent');
      return 42;
    });

    expect(answer).toBe(42);
    expect(attributesOf('agent')).toEqual({});
  });
});

describe('truth', () => {
  test('given with the conversation is put on its first span only', () => {
    inConversation({ id: 'c4', truth: { participants: ['ann'] } }, () => {
      span('agent', () => span('tool'));
      span('second');
    });

    expect(attributesOf('agent')['assay.truth']).toBe('{"participants":["ann"]}');
    expect(attributesOf('tool')['assay.truth']).toBeUndefined();
    expect(attributesOf('second')['assay.truth']).toBeUndefined();
  });

  test('can be attached later', () => {
    span('agent', () => expect(attachTruth({ label: 'good' })).toBe(true));

    expect(attributesOf('agent')['assay.truth']).toBe('{"label":"good"}');
  });
});

describe('marks', () => {
  test('of state and end are written to the active span', () => {
    span('agent', () => {
      expect(recordState({ booking_confirmed: true })).toBe(true);
      expect(endConversation()).toBe(true);
    });

    expect(attributesOf('agent')).toEqual({
      'assay.conversation.state': '{"booking_confirmed":true}',
      'assay.conversation.end': true,
    });
  });

  test('say that there was no span to write to', () => {
    expect(recordState({})).toBe(false);
    expect(attachTruth({})).toBe(false);
    expect(endConversation()).toBe(false);
  });

  test.each([
    ['a circle', circle()],
    ['a bigint', { n: 1n }],
    ['nothing', undefined],
  ])('do not throw on %s', (_what, value) => {
    span('agent', () => expect(recordState(value)).toBe(false));

    expect(attributesOf('agent')).toEqual({});
  });
});

function circle(): unknown {
  const self: { self?: unknown } = {};
  self.self = self;
  return self;
}

describe('feedback of a user', () => {
  const eventsOf = (name: string) =>
    exporter
      .getFinishedSpans()
      .filter((finished) => finished.name === name)
      .flatMap(({ events }) => events.map((event) => [event.name, event.attributes]));

  test('is an event on the active span, of the conversation that it is in', () => {
    inConversation({ id: 'c1' }, () =>
      span('agent', () => expect(feedback({ id: 'click', score: 4, scale: [1, 5], comment: 'fine' })).toBe(true)),
    );

    expect(eventsOf('agent')).toEqual([
      [
        'assay.feedback',
        {
          'assay.feedback.id': 'click',
          'assay.feedback.score': 4,
          'assay.feedback.comment': 'fine',
          'assay.feedback.scale.min': 1,
          'assay.feedback.scale.max': 5,
          'gen_ai.conversation.id': 'c1',
        },
      ],
    ]);
  });

  test.each([
    { score: Number.NaN },
    { score: '5' },
    { score: null },
    { score: 5, scale: [5, 1] },
    { score: 1, scale: [1] },
    { score: 1, scale: [1, Number.POSITIVE_INFINITY] },
    { score: 1, scale: '15' },
    { score: 7, scale: [1, 5] },
    { score: 0, scale: [1, 5] },
    { score: 2 ** 70 },
    { score: 1, scale: [0, 2 ** 70] },
    { label: '' },
    { comment: '', label: '' },
  ])('is none where a number is none: %j', (given) => {
    expect(feedback({ conversationId: 'c2', ...given } as never)).toBe(false);
    span('agent', () => expect(feedback(given as never)).toBe(false));

    expect(eventsOf('agent')).toEqual([]);
    expect(eventsOf('feedback')).toEqual([]);
  });

  test('leaves out empty texts, and mends half of a pair', () => {
    span('agent', () => expect(feedback({ label: '', comment: 'bad \ud83d', score: 1 })).toBe(true));

    const attributes = { 'assay.feedback.comment': 'bad \ufffd', 'assay.feedback.score': 1 };
    expect(eventsOf('agent')).toEqual([['assay.feedback', attributes]]);
  });

  test('takes null as absent', () => {
    const given = { score: null, scale: null, label: 'up' } as never;
    span('agent', () => expect(feedback(given)).toBe(true));

    expect(eventsOf('agent')).toEqual([['assay.feedback', { 'assay.feedback.label': 'up' }]]);
  });

  test('has a span of its own where none is active, and needs the conversation then', () => {
    expect(feedback({ label: 'thumbs_down', conversationId: 'c2' })).toBe(true);
    expect(feedback({ label: 'thumbs_down' })).toBe(false);
    expect(feedback({ conversationId: 'c2' })).toBe(false);
    expect(feedback(undefined as never)).toBe(false);

    expect(attributesOf('feedback')['gen_ai.conversation.id']).toBe('c2');
    expect(eventsOf('feedback')).toHaveLength(1);
    const [finished] = exporter.getFinishedSpans();
    expect(finished?.instrumentationScope.name).not.toBe('assay');
  });
});
