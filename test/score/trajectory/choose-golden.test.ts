import { expect, test } from 'vitest';
import type { Json } from '../../../src/model/json.ts';
import { formatMistakes } from '../../../src/model/mistake.ts';
import { subjectOf } from '../../../src/score/subject/subject.ts';
import { type GoldenChoice, GoldenLibrary } from '../../../src/score/trajectory/golden-library.ts';
import { comparableInput, similarity } from '../../../src/score/trajectory/input-similarity.ts';
import { readGolden } from '../../../src/score/trajectory/read-golden.ts';
import { aConversation, aTurn, REDACTED } from '../conversations.ts';
import { aRun } from './ticket-agent.ts';

const TRACES = `
- { id: tickets, input: Show me the last 3 support tickets for account ACC-4821, steps: [], tags: [account, read] }
- { id: any-account, input: Show me the open invoices of account ACC-*, steps: [], tags: [account, billing] }
- { id: cancel, scenario: s-7, input: Cancel my subscription, steps: [], tags: [billing, write] }
- { id: not-yet, status: draft, input: Delete my account, steps: [], scenario: s-8, tags: [unique] }
`;

function choose(asked: string, attributes: Record<string, string> = {}, choice: Partial<GoldenChoice> = {}) {
  const { traces, mistakes } = readGolden(TRACES, 'x.yaml');
  if (mistakes.length > 0) throw new Error(formatMistakes(mistakes));
  const conversation = aRun([], { asked, attributes: new Map(Object.entries(attributes)) });
  // The order of the files makes no difference.
  const chosen = [traces, traces.toReversed()].map((list) =>
    new GoldenLibrary(list, choice).choose(subjectOf(conversation, undefined)),
  );
  expect(chosen[0]?.trace?.id).toBe(chosen[1]?.trace?.id);
  return { id: chosen[0]?.trace?.id, because: chosen[0]?.because };
}

test.each<[what: string, asked: string, attributes: Record<string, string>, id: string | undefined]>([
  ['the scenario goes before all', 'Show me the last 3 support tickets', { 'assay.scenario': 's-7' }, 'cancel'],
  ['the id is the scenario unless it says otherwise', 'Hello', { 'assay.scenario': 'tickets' }, 'tickets'],
  ['a scenario of no trace leaves it to the input', 'Cancel my subscription', { 'assay.scenario': 's-9' }, 'cancel'],
  ['a scenario of a draft is none', 'Hello', { 'assay.scenario': 's-8' }, undefined],
  ['tags that one trace has', 'Hello', { 'assay.tags': 'billing, write' }, 'cancel'],
  ['tags as a list in JSON', 'Hello', { 'assay.tags': '["billing","write"]' }, 'cancel'],
  ['tags that several have, by the input', 'Cancel my subscription', { 'assay.tags': 'billing' }, 'cancel'],
  ['tags that several have, and an input like none', 'Hello', { 'assay.tags': 'billing' }, undefined],
  ['tags of a draft', 'Hello', { 'assay.tags': 'unique' }, undefined],
  ['the same input', 'Cancel my subscription', {}, 'cancel'],
  ['other case and marks', 'cancel my subscription!', {}, 'cancel'],
  ['other endings', 'Show me my last 3 support ticket for account ACC-4821', {}, 'tickets'],
  ['another account', 'Show me the last 3 support tickets for account ACC-1111', {}, undefined],
  ['another account where any is meant', 'Show me the open invoices of account ACC-1111', {}, 'any-account'],
  ['something else', 'What is the weather?', {}, undefined],
  ['nothing', '', {}, undefined],
])('%s', (_, asked, attributes, id) => {
  expect(choose(asked, attributes).id).toBe(id);
});

test('a trace that the truth names goes before all others, and one that is not there leaves none', () => {
  const library = new GoldenLibrary(readGolden(TRACES, 'x.yaml').traces);
  const chosen = (truth: Json) => {
    const conversation = aRun([], {
      asked: 'Cancel my subscription',
      attributes: new Map([['assay.scenario', 'tickets']]),
    });
    return library.choose(subjectOf({ ...conversation, turns: conversation.turns, truth }, undefined));
  };

  expect(chosen({ golden: 'any-account', amount: 3 })).toMatchObject({
    trace: { id: 'any-account' },
    because: 'its truth names it',
  });
  expect(['gt_404', 'not-yet'].map((golden) => chosen({ golden }).trace)).toEqual([undefined, undefined]);
  expect(chosen({ golden: 'gt_404' }).because).toContain('gt_404');
  for (const other of [{ golden: 7 }, { golden: '' }, ['any-account'], 'any-account', null, {}])
    expect(chosen(other).trace?.id).toBe('tickets');
});

test('attributes, threshold and whether inputs are compared are the suite’s to say', () => {
  expect(choose('Hello', { scenario: 's-7' }, { scenario: 'scenario' }).id).toBe('cancel');
  expect(choose('Please cancel my subscription today', {}, { similarity: 0.7 }).id).toBe('cancel');
  expect(choose('Please cancel my subscription today', {}, { similarity: 0.99 }).id).toBeUndefined();
  expect(choose('Cancel my subscription', {}, { similarity: false })).toEqual({
    id: undefined,
    because:
      'No golden trace is for this conversation: it names no scenario and no tags of one, and inputs are not compared.',
  });
});

test('the first request of the conversation counts, and one that is redacted can not be compared', () => {
  const library = new GoldenLibrary(readGolden(TRACES, 'x.yaml').traces);
  const first = aConversation([aTurn({ asked: 'Cancel my subscription' }), aTurn({ asked: 'Yes.' })]);
  const redacted = aConversation([aTurn({ asked: { ...REDACTED, text: '[redacted]' } })]);

  expect(library.choose(subjectOf(first, undefined)).trace?.id).toBe('cancel');
  expect(library.choose(subjectOf(redacted, undefined)).because).toContain('what the user asked is redacted');
});

test.each<[golden: string, live: string, likeness: number]>([
  ['Cancel my subscription', 'Cancel my subscription', 1],
  ['ACC-1', 'ACC-1', 1],
  ['ACC-1 ACC-1', 'ACC-1 ACC-2', 0.5],
  ['the bill of ACC-*', 'The bill of acc-77.', 1],
  ['the bill of ACC-1', 'the bill of ACC-2', 0],
  ['the bill', 'the bill', 1],
  ['héllo wörld', 'he\u0301llo wo\u0308rld', 1],
  ['', '', 0],
  ['abc', 'xyz', 0],
])('%s is like %s: %d', (golden, live, likeness) => {
  expect(similarity(comparableInput(golden), comparableInput(live))).toBe(likeness);
});

test('a request of megabytes is compared by its beginning', () => {
  const long = 'Cancel my subscription '.repeat(1e5);

  expect(similarity(comparableInput('Cancel my subscription'), comparableInput(long))).toBeLessThan(0.1);
});
