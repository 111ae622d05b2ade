/** Which call of a run came before which, and what that means for a golden trace: over one clock, over several, and where no clock tells. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message, Step } from '../../../src/model/step.ts';
import type { ToolCall, Turn } from '../../../src/model/turn.ts';
import { deedsOf } from '../../../src/score/order/ordered-steps.ts';
import { precedenceOf } from '../../../src/score/order/precedence.ts';
import { type Subject, subjectOf } from '../../../src/score/subject/subject.ts';
import { partialOrder } from '../../../src/score/alignment/partial-order.ts';
import { compareRun } from '../../../src/score/trajectory/compare-run.ts';
import { diffLines } from '../../../src/score/trajectory/describe-comparison.ts';
import { GoldenLibrary } from '../../../src/score/trajectory/golden-library.ts';
import { type GoldenTrace, MATCH_MODES, type MatchMode } from '../../../src/score/trajectory/golden-trace.ts';
import { assessRun } from '../../../src/score/trajectory/assess-run.ts';
import { readGolden } from '../../../src/score/trajectory/read-golden.ts';
import { type Run, runOf } from '../../../src/score/trajectory/run.ts';
import { aConversation, aStep, aToolCall, aTurn, content, ROOT_SPAN, spanId } from '../conversations.ts';

const ROOT = aStep({ kind: 'agent', spanId: ROOT_SPAN, parentSpanId: undefined, startedAtMs: 0, endedAtMs: 100_000 });
const idOf = (name: string) => spanId([...name].reduce((sum, letter) => sum * 256 + letter.charCodeAt(0), 0));

/** A step by its name, of the agent's own process unless it says otherwise. */
function step(name: string, startedAtMs: number, endedAtMs: number, parts: Partial<Step> = {}): Step {
  return aStep({ name, kind: 'tool', spanId: idOf(name), serviceName: 'agent', startedAtMs, endedAtMs, ...parts });
}

/** A call with the span of that name. */
function callOf({ name, spanId: id, startedAtMs, endedAtMs }: Step, parts: Partial<ToolCall> = {}): ToolCall {
  return aToolCall(name, { spanId: id, requestedBy: undefined, startedAtMs, endedAtMs, ...parts });
}

function subject(...turns: readonly Partial<Turn>[]): Subject {
  return subjectOf(
    aConversation(turns.map(({ steps = [], ...turn }) => aTurn({ ...turn, steps: [ROOT, ...steps] }))),
    undefined,
  );
}

/** `ab` where a came before b. */
function pairs({ calls, order }: Run): readonly string[] {
  return calls.flatMap((one, earlier) =>
    calls.flatMap((other, later) => (order.precedes(earlier, later) ? [`${one.name}${other.name}`] : [])),
  );
}

function follows(of: Subject, tools: string, mode: MatchMode = 'in_order'): boolean {
  const judged = assessRun(traceOf(tools, mode), of, { golden: new GoldenLibrary([]) });
  if (typeof judged === 'string') throw new Error(judged);
  return judged.first === undefined;
}

function traceOf(tools: string, mode: MatchMode): GoldenTrace {
  const steps = [...tools].map((tool) => `{ tool: ${tool} }`).join(', ');
  const [trace] = readGolden(`{ id: x, input: '', mode: ${mode}, steps: [${steps}] }`, 'x.yaml').traces;
  if (trace === undefined) throw new Error('no trace');
  return trace;
}

function asks(...names: readonly string[]): readonly Message[] {
  const parts = names.map((name) => ({ type: 'tool_call' as const, id: `id-${name}`, name, args: content({}) }));
  return [{ role: 'assistant', name: undefined, parts, finishReason: 'tool_call' }];
}

function shown(...names: readonly string[]): readonly Message[] {
  return names.map((name) => ({
    role: 'tool',
    name: undefined,
    parts: [{ type: 'tool_result', id: `id-${name}`, result: content('done') }],
    finishReason: undefined,
  }));
}

describe('one clock', () => {
  /** The rule for sequences, by the times alone. */
  function byTimes(calls: readonly ToolCall[]): Run {
    const order = partialOrder(calls.length, (earlier, later) => {
      const [one, other] = [calls[earlier], calls[later]];
      return one !== undefined && other !== undefined && Math.max(one.startedAtMs, one.endedAtMs) <= other.startedAtMs;
    });
    return { calls, order, beyond: 0 };
  }

  test('what came one after the other is compared as by its times, byte for byte, in every mode', () => {
    const calls = fc.array(
      fc.record({
        tool: fc.constantFrom('a', 'b', 'c'),
        pause: fc.nat(2),
        takes: fc.integer({ min: 1, max: 3 }),
        n: fc.nat(2),
      }),
      { maxLength: 8 },
    );
    const options = { isWrite: () => false, scope: () => ({}), unsafe: new Map<ToolCall, string>() };
    fc.assert(
      fc.property(calls, fc.stringMatching(/^[abc]{1,6}$/), fc.constantFrom(...MATCH_MODES), (made, tools, mode) => {
        let now = 1000;
        const steps = made.map(({ tool, pause, takes }, at) => {
          const startedAtMs = now + pause;
          now = startedAtMs + takes;
          return step(tool, startedAtMs, now, { spanId: spanId(at + 1) });
        });
        const toolCalls = steps.map((of, at) => callOf(of, { args: content({ n: made[at]?.n ?? 0 }) }));
        const trace = traceOf(tools, mode);

        const ours = compareRun(trace, runOf(subject({ steps, toolCalls })), options);
        const simple = compareRun(trace, byTimes(toolCalls), options);

        const told = (of: typeof ours) => JSON.stringify([of.score, of.isOptimal, diffLines(of, options.scope)]);
        expect(told(ours)).toBe(told(simple));
      }),
    );
  });

  test('calls that overlap come in either order, in every mode', () => {
    const steps = [step('b', 10, 60), step('a', 20, 40), step('c', 70, 80)];
    const run = subject({ steps, toolCalls: steps.map((of) => callOf(of)) });

    expect(pairs(runOf(run))).toEqual(['bc', 'ac']);
    expect(MATCH_MODES.filter((mode) => follows(run, 'abc', mode) && follows(run, 'bac', mode))).toEqual(MATCH_MODES);
    expect(MATCH_MODES.filter((mode) => follows(run, 'acb', mode))).toEqual(['any_order', 'subset', 'superset']);
  });

  test('calls that a model asked for at once, and that have no spans, come in either order', () => {
    const asker = step('model', 0, 10, { kind: 'llm', messagesOut: asks('b', 'a') });
    const reader = step('next', 20, 30, { kind: 'llm', messagesIn: shown('b', 'a'), messagesOut: asks('c') });
    const withoutSpan = (name: string, by: Step) =>
      aToolCall(name, {
        id: `id-${name}`,
        spanId: undefined,
        requestedBy: by.spanId,
        startedAtMs: by.endedAtMs,
        endedAtMs: by.endedAtMs,
      });
    const toolCalls = [withoutSpan('b', asker), withoutSpan('a', asker), withoutSpan('c', reader)];
    const run = subject({ steps: [asker, reader], toolCalls });

    expect(pairs(runOf(run))).toEqual(['bc', 'ac']);
    expect(follows(run, 'abc', 'exact')).toBe(true);
  });

  test('of calls in one instant nobody knows, unless a model was shown the one and asked for the other', () => {
    const [first, second] = [step('a', 5, 5), step('b', 5, 5)];
    const asker = step('model', 5, 5, { kind: 'llm', messagesOut: asks('a') });
    const reader = step('next', 5, 5, { kind: 'llm', messagesIn: shown('a'), messagesOut: asks('b') });
    const toolCalls = [
      callOf(first, { id: 'id-a', requestedBy: asker.spanId }),
      callOf(second, { id: 'id-b', requestedBy: reader.spanId }),
    ];

    expect(pairs(runOf(subject({ steps: [first, second], toolCalls: [callOf(first), callOf(second)] })))).toEqual([]);
    expect(pairs(runOf(subject({ steps: [asker, first, reader, second], toolCalls })))).toEqual(['ab']);
  });

  test('a call comes before what was called within it', () => {
    const outer = step('a', 0, 100);
    const inner = step('b', 10, 20, { parentSpanId: outer.spanId });
    const run = subject({ steps: [outer, inner], toolCalls: [callOf(outer), callOf(inner)] });

    expect([follows(run, 'ab'), follows(run, 'ba')]).toEqual([true, false]);
  });

  test('an earlier turn comes before a later one, whatever the times are', () => {
    const [late, early] = [step('a', 500, 600), step('b', 0, 10)];
    const run = subject({ steps: [late], toolCalls: [callOf(late)] }, { steps: [early], toolCalls: [callOf(early)] });

    expect(pairs(runOf(run))).toEqual(['ab']);
  });
});

describe('several clocks', () => {
  test('those that are 100 ms apart may be wrong by as much, so that a run that was right is not out of order', () => {
    // b was called after a, by a process whose clock is 60 ms behind.
    const [a, b] = [step('a', 1000, 1010, { serviceName: 'files' }), step('b', 960, 970, { serviceName: 'mail' })];
    const run = subject({ steps: [b, a], toolCalls: [callOf(b), callOf(a)] });

    expect(pairs(runOf(run))).toEqual([]);
    expect(MATCH_MODES.filter((mode) => !follows(run, 'ab', mode))).toEqual([]);
  });

  test('those that are further apart are believed', () => {
    const [a, b] = [step('a', 1000, 1010, { serviceName: 'files' }), step('b', 1200, 1210, { serviceName: 'mail' })];
    const run = subject({ steps: [a, b], toolCalls: [callOf(a), callOf(b)] });

    expect([follows(run, 'ab'), follows(run, 'ba')]).toEqual([true, false]);
  });

  test('what a model was shown is believed before a clock that is seconds behind, and calls are numbered by it', () => {
    const asker = step('model', 10_000, 10_010, { kind: 'llm', messagesOut: asks('a') });
    const a = step('a', 10_020, 10_030);
    const reader = step('next', 10_040, 10_050, { kind: 'llm', messagesIn: shown('a'), messagesOut: asks('b') });
    const b = step('b', 5_060, 5_070, { serviceName: 'mail' });
    const toolCalls = [
      callOf(b, { id: 'id-b', requestedBy: reader.spanId }),
      callOf(a, { id: 'id-a', requestedBy: asker.spanId }),
    ];
    const run = subject({ steps: [asker, a, reader, b], toolCalls });

    expect(runOf(run).calls.map(({ name }) => name)).toEqual(['a', 'b']);
    expect([follows(run, 'ab', 'exact'), follows(run, 'ba', 'exact')]).toEqual([true, false]);
  });

  test('without spans and times the transcript of the agent tells', () => {
    const messagesOut = [...asks('a'), ...shown('a'), ...asks('b'), ...shown('b')];
    const root = { ...ROOT, messagesOut };
    const [a, b] = ['a', 'b'].map((name) =>
      aToolCall(name, {
        id: `id-${name}`,
        spanId: undefined,
        requestedBy: undefined,
        startedAtMs: 0,
        endedAtMs: 100_000,
      }),
    );
    const turn = aTurn({ steps: [root], toolCalls: a === undefined || b === undefined ? [] : [a, b] });
    const run = subjectOf(aConversation([turn]), undefined);

    expect([follows(run, 'ab'), follows(run, 'ba')]).toEqual([true, false]);
  });
});

test('no call comes before one with a smaller number, and what comes before what is what order criteria go by', () => {
  const times = fc.record({ start: fc.nat(400), takes: fc.nat(200), service: fc.constantFrom('agent', 'mail') });
  fc.assert(
    fc.property(fc.array(times, { minLength: 2, maxLength: 12 }), (all) => {
      const steps = all.map(({ start, takes, service }, at) =>
        step(String.fromCharCode(97 + at), start, start + takes, { serviceName: service, parentSpanId: ROOT_SPAN }),
      );
      // One that is of another process throughout, so that no run is a sequence by one clock.
      const other = step('z', 0, 1, { serviceName: 'files', kind: 'step' });
      const of = subject({ steps: [...steps, other], toolCalls: steps.map((one) => callOf(one)) });
      const deeds = deedsOf(of);
      const known = precedenceOf(of).among(deeds.map((_, at) => at));
      const placeOf = (call: ToolCall | undefined) => deeds.findIndex((deed) => deed.call === call);

      const { calls, order } = runOf(of);

      expect(calls).toHaveLength(steps.length);
      for (let later = 0; later < calls.length; later += 1) {
        for (let earlier = 0; earlier < calls.length; earlier += 1) {
          const isBefore = known.isBefore(placeOf(calls[earlier]), placeOf(calls[later]));
          expect(order.precedes(earlier, later)).toBe(isBefore);
          if (isBefore) expect(earlier).toBeLessThan(later);
        }
      }
    }),
  );
});

test('500 calls of two processes are numbered, and those beyond are counted', () => {
  const steps = Array.from({ length: 600 }, (_, at) =>
    step(`c${at}`, 150 * at, 150 * at + 10, { spanId: spanId(at + 1), serviceName: at % 2 === 0 ? 'agent' : 'mail' }),
  );

  const { calls, order, beyond } = runOf(subject({ steps, toolCalls: steps.map((one) => callOf(one)) }));

  expect([calls.length, beyond, order.isChain]).toEqual([500, 100, true]);
});
