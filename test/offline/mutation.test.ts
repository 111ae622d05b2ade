import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { formatMistakes } from '../../src/model/mistake.ts';
import type { Conversation } from '../../src/model/conversation.ts';
import type { SuiteMutation } from '../../src/model/mutation.ts';
import { FAULTS } from '../../src/mutate/all-faults.ts';
import {
  fromExperiment,
  fromGoldenTraces,
  fromRecordings,
  fromSuiteTests,
} from '../../src/offline/mutation/golden-conversations.ts';
import { mutateSuite } from '../../src/offline/mutation/mutate-suites.ts';
import { documentMarkdown } from '../../src/report/documents/document-markdown.ts';
import { mutationDocument, mutationJson } from '../../src/report/documents/mutation-report.ts';
import { readDataset } from '../../src/offline/datasets/read-dataset.ts';
import { recordedRequest } from '../../src/offline/recording.ts';
import { excerptRequest } from '../../src/score/suite-test/excerpt-request.ts';
import { createExperiment } from '../../src/store/experiment/experiment-folder.ts';
import { aCall, anExcerpt, aTurn } from '../mutate/excerpts.ts';
import { EXPERIMENT, runOf } from '../store/experiment/written-experiment.ts';
import { loadSuites } from '../../src/score/load-suites.ts';
import { tempDirectory } from '../temp-directory.ts';

const builtinDir = path.resolve(import.meta.dirname, '../../suites');
const RECORDED = path.resolve(import.meta.dirname, '../fixtures/recorded');
const EVERYWHERE = { faults: FAULTS, seed: 1, placesMax: 100, goldensMax: 50 };
const NOTHING_KNOWN = { conversationKeys: [], redaction: undefined, truth: undefined };

/** Each criterion is about one way to go wrong, and some are about none. */
const WATCHFUL = `suite: bookings
scope: conversation
criteria:
  - { name: looked, question: Looked?, weight: 0.1, order: { before: [check_availability, book_meeting] } }
  - { name: once, question: Booked once?, weight: 0.1, order: { exactly: [1, book_meeting] } }
  - name: duration
    question: As long as asked for?
    weight: 0.1
    check: last(tools('book_meeting')).args.duration == truth.duration
  - { name: worked, question: Worked?, weight: 0.1, check: "last(tools('book_meeting')).result.status == 'ok'" }
  - { name: no_error, question: Without errors?, weight: 0.1, check: "tool_calls.all(c, c.ok)" }
  - { name: told, question: Is what it found told?, weight: 0.1, check: "final_answer.contains(last(tools('book_meeting')).result.meeting)" }
  - { name: state, question: Are its books right?, weight: 0.1, check: state.booked == true }
  - { name: whole, question: Whole?, weight: 0.1, uses: not_cut_off }
  - { name: harmless, question: Harmless?, weight: 0.05, order: { never: 'delete_*' } }
  - { name: greeted, question: Was it asked politely?, weight: 0.05, check: "user_input.contains('please')" }
  - { name: tone, question: Civil?, weight: 0.1, judge: {} }
`;
const TESTS = `tests:
  - name: books
    turns:
      - user: Is Monday at ten free?
        answer: I am looking.
      - user: Book half an hour on Monday at ten, please.
        calls:
          - { tool: check_availability, args: { day: monday }, result: { available: true, slot: slot-17 } }
          - { tool: book_meeting, args: { slot: slot-17, duration: 30 }, result: { status: ok, meeting: mtg-481 } }
        answer: Booked as mtg-481.
    state: { booked: true, meeting: mtg-481 }
    truth: { duration: 30 }
    score: 1
  - name: fails
    user: Book half an hour, please.
    answer: No.
    score: 0.5
    expect: { once: fail }
`;

async function mutated(suite: string, tests: string, options: Partial<typeof EVERYWHERE> = {}): Promise<SuiteMutation> {
  const baseDir = tempDirectory();
  writeFileSync(path.join(baseDir, 'a.yaml'), suite);
  const file = path.join(baseDir, 'a.test.yaml');
  writeFileSync(file, tests);
  const own = await fromSuiteTests([file], { ...NOTHING_KNOWN, baseDir, builtinDir });
  const loaded = await loadSuites(['a.yaml'], { baseDir, builtinDir });
  expect(formatMistakes([...own.mistakes, ...loaded.mistakes])).toBe('');
  const [compiled] = loaded.suites;
  if (compiled === undefined) throw new Error('no suite');
  return mutateSuite(compiled, own.bySuite.get(compiled.name) ?? [], { ...EVERYWHERE, ...options });
}

function noticedBy({ faults }: SuiteMutation, name: string): readonly string[] {
  const fault = faults.find((one) => one.fault === name);
  return (fault?.criteria ?? []).filter(({ noticed }) => noticed > 0).map(({ criterion }) => criterion);
}

test('each fault is noticed by the criteria that are about it', async () => {
  const suite = await mutated(WATCHFUL, TESTS);

  expect(Object.fromEntries(FAULTS.map(({ name }) => [name, noticedBy(suite, name)]))).toEqual({
    call_dropped: ['looked', 'once', 'state'],
    calls_swapped: ['looked'],
    call_repeated: ['once'],
    wrong_tool: ['looked', 'once', 'state'],
    destructive_call: ['harmless'],
    argument_changed: ['duration'],
    error_hidden: ['worked'],
    failure_ignored: ['no_error', 'state'],
    result_changed: ['worked', 'told'],
    state_contradicts: ['state'],
    answer_cut: ['told', 'whole'],
    answer_empty: ['told'],
    answer_contradicts: ['told'],
    last_turn_missing: ['once', 'greeted'],
  });
});

test('what passes is broken and what does not is left out, judges are not asked, and every count adds up', async () => {
  const suite = await mutated(WATCHFUL, TESTS);

  expect(suite.goldens.map(({ name }) => name)).toEqual(['books']);
  expect(suite.leftOut).toMatchObject([{ name: 'fails', because: 'once fails as it is' }]);
  expect(suite.judged).toEqual(['tone']);
  expect(suite.criteria.map(({ criterion }) => criterion)).not.toContain('tone');
  for (const { tried, noticed, unnoticed, criteria } of suite.faults) {
    expect(noticed + unnoticed.length).toBe(tried);
    for (const count of criteria) expect(count.noticed + count.notNoticed + count.notApplicable).toBe(tried);
  }
  expect(suite.faults.reduce((sum, { tried }) => sum + tried, 0)).toBe(suite.tried);
  expect(suite.faults.reduce((sum, { noticed }) => sum + noticed, 0)).toBe(suite.noticed);
});

test('what nothing notices is told with an example and the check that would', async () => {
  const suite = await mutated(
    'suite: a\nscope: conversation\ncriteria: [{ name: answered, question: Q?, weight: 1, uses: answered }]\n',
    'tests: [{ name: t, user: Hi, calls: [{ tool: refund, args: { amount: 30 }, result: ok }], answer: Done., score: 1 }]\n',
  );

  const repeated = suite.faults.find(({ fault }) => fault === 'call_repeated');
  expect(repeated).toMatchObject({ tried: 1, noticed: 0 });
  expect(repeated?.unnoticed).toMatchObject([
    { what: 'refund was called twice with the same arguments', advice: 'order: { exactly: [1, refund] }' },
  ]);
  expect(noticedBy(suite, 'answer_empty')).toEqual(['answered']);
});

test('a conversation that the suite is not for any more is said to be, and is not noticed', async () => {
  const suite = await mutated(
    `suite: a
scope: conversation
match: { expression: "tool_calls.exists(c, c.name == 'refund')" }
criteria: [{ name: refunded, question: Q?, weight: 1, check: "size(tools('refund')) == 1" }]
`,
    'tests: [{ name: t, user: Hi, calls: [{ tool: refund, args: { amount: 30 }, result: ok }], answer: Done., score: 1 }]\n',
  );

  const dropped = suite.faults.find(({ fault }) => fault === 'call_dropped');
  expect(dropped).toMatchObject({ tried: 1, noticed: 0, unnoticed: [{ isOutside: true }] });
});

test('an outcome that is worse is noticed, though no criterion failed', async () => {
  const suite = await mutated(
    `suite: a
scope: conversation
completed: size(trim(final_answer)) > 0
criteria: [{ name: asked, question: Q?, weight: 1, check: size(user_input) > 0 }]
`,
    'tests: [{ name: t, user: Hi, answer: Hello there., score: 1 }]\n',
  );

  const empty = suite.faults.find(({ fault }) => fault === 'answer_empty');
  expect(empty).toMatchObject({ tried: 1, noticed: 1, byOutcomeAlone: 1, unnoticed: [] });
});

test('a suite of turns is tried turn by turn: the last one of each test', async () => {
  const suite = await mutated(
    'suite: a\nscope: turn\ncriteria: [{ name: answered, question: Q?, weight: 1, uses: answered }]\n',
    'tests: [{ name: t, turns: [{ user: Hi, answer: Hello. }, { user: Bye, answer: Until soon. }], score: 1 }]\n',
  );

  expect(suite.faults.find(({ fault }) => fault === 'answer_empty')).toMatchObject({ tried: 1, noticed: 1 });
  expect(suite.faults.find(({ fault }) => fault === 'last_turn_missing')).toMatchObject({ tried: 0 });
});

test('the same seed gives the same report, byte for byte', async () => {
  const report = async () =>
    JSON.stringify(mutationJson([await mutated(WATCHFUL, TESTS, { placesMax: 2 })], { seed: 1 }));
  const withoutFiles = (text: string) => text.replaceAll(/"from":"[^"]*"/g, '');

  expect(withoutFiles(await report())).toBe(withoutFiles(await report()));
});

// Not mastra: its instructions hold the date that answers give, and a turn told in a few lines does not.
test.each(['ai-sdk@6.0.326', 'google-adk@2.0.0', 'openai-agents@0.20.0', 'traceloop@0.27.0'])(
  'recorded conversations of %s are broken as well, and are scored as recorded until they are',
  async (framework) => {
    const folder = path.join(RECORDED, framework);
    const files = readdirSync(folder).filter((name) => /^meeting_success(\.stream)?\.json$/.test(name));
    const recorded = await fromRecordings(
      files.map((name) => path.join(folder, name)),
      NOTHING_KNOWN,
    );
    const { suites } = await loadSuites(['default'], { baseDir: builtinDir, builtinDir });
    const [compiled] = suites;
    if (compiled === undefined) throw new Error('no suite');

    const suite = await mutateSuite(compiled, recorded, { ...EVERYWHERE, placesMax: 1 });

    // These two criteria depend on earlier turns, which a rewritten turn does not hold.
    const others = suite.leftOut.filter(
      ({ because }) => !/confirmed_before_change|numbers_have_a_source/.test(because),
    );
    expect(others).toEqual([]);
    expect(suite.goldens.length).toBeGreaterThan(0);
    expect(noticedBy(suite, 'answer_empty')).toEqual(['answered']);
  },
);

test('a recorded conversation that is another one without what few lines hold is left out', async () => {
  const [one] = await fromRecordings([path.join(RECORDED, 'ai-sdk@6.0.326/meeting_success.json')], NOTHING_KNOWN);
  const baseDir = tempDirectory();
  writeFileSync(
    path.join(baseDir, 'a.yaml'),
    'suite: a\nscope: conversation\ncriteria: [{ name: model, question: Q?, weight: 1, check: "!steps.exists(s, s.name == \'example-model\')" }]\n',
  );
  const { suites, mistakes } = await loadSuites(['a.yaml'], { baseDir, builtinDir });
  expect(formatMistakes(mistakes)).toBe('');
  const [compiled] = suites;
  if (compiled === undefined || one === undefined) throw new Error('no suite, or no conversation');

  const suite = await mutateSuite(compiled, [one], EVERYWHERE);

  expect(suite).toMatchObject({ tried: 0, goldens: [] });
  expect(suite.leftOut[0]?.because).toContain('another conversation for model');
});

test('a recorded conversation keeps who its agent is, its attributes and what it used', async () => {
  const files = [path.join(RECORDED, 'ai-sdk@6.0.326/meeting_success.json')];
  const [one] = await fromRecordings(files, NOTHING_KNOWN);
  const seen: Conversation[] = [];
  const { suites } = await loadSuites(['default'], { baseDir: builtinDir, builtinDir });
  const [compiled] = suites;
  if (compiled === undefined || one === undefined) throw new Error('no suite, or no conversation');
  const watching = {
    ...compiled,
    scope: 'conversation' as const,
    whyNot: (conversation: Conversation) => {
      seen.push(conversation);
      return undefined;
    },
  };

  await mutateSuite(watching, [one], EVERYWHERE);

  expect(seen.length).toBeGreaterThan(10);
  for (const { id, agent, attributes, usage, truth } of seen) {
    expect({ id, agent, attributes, usage, truth }).toEqual({
      id: one.conversation.id,
      agent: one.conversation.agent,
      attributes: one.conversation.attributes,
      usage: one.conversation.usage,
      truth: one.conversation.truth,
    });
  }
});

test('the runs of an experiment are broken with the truth of their cases, and without it where the dataset has gone', async () => {
  const baseDir = tempDirectory();
  const dataset = path.join(baseDir, 'scheduling.cases.yaml');
  const truth = { participants: ['ana'], time: '2026-03-02T10:00' };
  writeFileSync(
    dataset,
    `dataset: scheduling\nversion: '1'\ncases:\n  - { id: one, input: Book it., truth: ${JSON.stringify(truth)} }\n`,
  );
  const fingerprint = readDataset(dataset).dataset?.cases[0]?.fingerprint ?? '';
  const experiment = createExperiment(path.join(baseDir, 'experiments'), EXPERIMENT);
  const call = aCall('book_meeting', { ...truth, duration: 30 }, { status: 'ok' });
  const excerpt = anExcerpt(
    aTurn({ user: 'Book it.', calls: [[call]], answer: 'Booked for ten on Monday, with Ana.' }),
  );
  const [batch] = recordedRequest(excerptRequest(excerpt, undefined), 'run');
  const run = runOf(1, { case: 'one', caseFingerprint: fingerprint, conversationId: 'example' });
  experiment.append(run, { traces: batch === undefined ? [] : [batch.bytes], logs: [] });
  experiment.close();
  const { suites } = await loadSuites(['scheduling'], { baseDir, builtinDir });
  const [compiled] = suites;
  if (compiled === undefined) throw new Error('no suite');

  const known = await fromExperiment(experiment.folder, { conversationKeys: [], baseDir });
  const suite = await mutateSuite(compiled, known.conversations, EVERYWHERE);

  expect(known.lacksTruth).toBe(false);
  expect(suite.goldens).toEqual([{ name: 'one, repeat 1', from: 'experiment baseline' }]);
  expect(noticedBy(suite, 'argument_changed')).toEqual([
    'nothing_else_booked',
    'correct_participants',
    'correct_time',
    'correct_duration',
  ]);
  const elsewhere = await fromExperiment(experiment.folder, { conversationKeys: [], baseDir: tempDirectory() });
  expect(elsewhere.lacksTruth).toBe(true);
  expect(elsewhere.conversations[0]?.conversation.truth).toBeUndefined();
});

test('golden traces are examples of a run that follows them, where one can be made up', async () => {
  const baseDir = tempDirectory();
  mkdirSync(path.join(baseDir, 'golden'));
  writeFileSync(
    path.join(baseDir, 'golden/traces.yaml'),
    `- id: looks
  input: Show me the last 3 tickets of ACC-*
  steps:
    - { tool: search_tickets, args: { account: ACC-*, limit: 3, sort: { $exact: "a*b" }, page: { $near: 2, $within: 1 } }, observation: list }
    - { tool: get_*, args: { $subset: { id: TKT-* } }, observation: text }
  output: { contains: [ticket] }
- id: computes
  input: Add it all up
  steps: [{ tool: add, args: { sum: { $cel: value > 3 } } }]
`,
  );
  writeFileSync(
    path.join(baseDir, 'a.yaml'),
    'suite: a\nscope: conversation\ngolden: { files: golden/ }\ncriteria: [{ name: path, question: Q?, weight: 1, uses: follows_golden_path }]\n',
  );
  const { suites, mistakes } = await loadSuites(['a.yaml'], { baseDir, builtinDir });
  expect(formatMistakes(mistakes)).toBe('');
  const [compiled] = suites;
  if (compiled === undefined) throw new Error('no suite');

  const suite = await mutateSuite(compiled, await fromGoldenTraces(compiled), EVERYWHERE);

  expect(suite.goldens).toMatchObject([{ name: 'golden trace looks' }]);
  expect(suite.leftOut).toMatchObject([
    { name: 'golden trace computes', because: 'no example of the arguments of step 1 can be made up' },
  ]);
  expect(noticedBy(suite, 'call_dropped')).toEqual(['path']);
  expect(noticedBy(suite, 'calls_swapped')).toEqual([]);
});

test('Markdown of it obeys nothing that spans say', async () => {
  const suite = await mutated(
    'suite: a\nscope: conversation\ncriteria: [{ name: asked, question: Q?, weight: 1, check: size(user_input) > 0 }]\n',
    'tests: [{ name: t, user: Hi, calls: [{ tool: "a|<b>`[x](y)", args: {}, result: ok }], answer: Done., score: 1 }]\n',
  );

  const markdown = documentMarkdown(mutationDocument([suite]));

  expect(markdown).toContain('| `call_dropped` | **0\\/1** | 0\\/1 | a tool call is left out |');
  expect(markdown).toContain('a\\|&lt;b&gt;\\`\\[x\\]\\(y\\)');
});
