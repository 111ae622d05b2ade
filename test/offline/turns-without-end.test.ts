/** Recordings of agents whose process was killed in the second turn: the score counts it, or the summary says that a turn has no end. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { recordedRequest } from '../../src/offline/recording.ts';
import { scoreRecorded } from '../../src/offline/score-recording.ts';
import { assayHere } from '../assay-here.ts';
import { builtinSuites, defaultSettings } from '../engine/log-driver.ts';

const FIXTURES = path.resolve(import.meta.dirname, '../fixtures');

async function scored(...files: readonly string[]) {
  const lines = files.flatMap((file) => readFileSync(path.join(FIXTURES, file), 'utf8').trim().split('\n'));
  const batches = lines.flatMap((line) => recordedRequest(line, 'test'));
  return scoreRecorded({ batches, suites: await builtinSuites(['default']), settings: defaultSettings() });
}

/** The conversation is the second turn's. */
const NO_ROOT = 'no-root';
const OPEN_CALL = 'open-call';

test.each([
  ['its spans name the conversation, and none is a model or tool call', 'recorded/mastra@1.71.0', NO_ROOT],
  ['the same without content', 'recorded/mastra@1.71.0 content_off', NO_ROOT],
  ['only reads of the memory arrived', 'captured/voltagent@2.10.0', NO_ROOT],
  [
    'its only span is a whole model call that asks for a tool',
    'recorded/openinference-openai@4.2.7 session',
    OPEN_CALL,
  ],
] as const)('the killed turn is counted and named: %s', async (_, fixture, sign) => {
  const [folder = '', variant] = fixture.split(' ');
  const file = `${folder}/meeting_process_killed.${variant === undefined ? '' : `${variant}.`}json`;

  const { withoutEnd, evaluations, otherTraces } = await scored(file);

  expect(withoutEnd).toMatchObject([{ sign, turns: 1, conversation: evaluations[0]?.conversationId }]);
  expect([evaluations.length, otherTraces]).toEqual([1, 0]);
});

test.each([
  'recorded/ai-sdk@7.0.173',
  'recorded/langfuse@5.11.1',
  'recorded/openai-agents@0.20.0',
  'captured/genkit@1.42.0',
])('a killed turn of which a model or tool call arrived is scored, and not named besides: %s', async (folder) => {
  const { withoutEnd, evaluations } = await scored(`${folder}/meeting_process_killed.json`);

  expect(withoutEnd).toEqual([]);
  expect(evaluations.map(({ outcome }) => outcome)).toEqual(['no_fault_found', 'hard_failure']);
});

test('requests of an HTTP client alone name no conversation: they are a trace without an agent', async () => {
  const { withoutEnd, otherTraces } = await scored('recorded/ai-sdk@6.0.326/meeting_process_killed.http.json');

  expect([withoutEnd, otherTraces]).toEqual([[], 1]);
});

test('log records whose spans never came are counted apart from traces of other services', async () => {
  const folder = 'captured/claude-agent-sdk@0.3.330';

  const { logsAlone, otherTraces } = await scored(
    `${folder}/meeting_process_killed.json`,
    `${folder}/meeting_process_killed.logs.json`,
  );

  expect([logsAlone, otherTraces]).toEqual([1, 0]);
});

/** Checks, of the frameworks whose killed turns are named, every recorded run that did not break off. */
function healthy(): readonly string[] {
  return ['recorded', 'captured'].flatMap((kind) =>
    readdirSync(path.join(FIXTURES, kind))
      .filter((folder) => /^(mastra|voltagent|openinference-openai|otel-contrib-openai|openlit)@/.test(folder))
      .flatMap((folder) =>
        readdirSync(path.join(FIXTURES, kind, folder))
          .filter((file) => file.endsWith('.expected.json') && !/process_killed|crash/.test(file))
          .map((file) => path.join(kind, folder, file.replace('.expected.json', '.json')))
          .filter((file) => existsSync(path.join(FIXTURES, file))),
      ),
  );
}

test('no turn of a process that lived on is without an end, in their recordings', async () => {
  const files = healthy();
  const found: unknown[] = [];
  for (const file of files) for (const one of (await scored(file)).withoutEnd) found.push([file, one]);

  expect(files.length).toBeGreaterThan(30);
  expect(found).toEqual([]);
});

/** One request for each span, in order of start. */
function spansOf(file: string): readonly string[] {
  return readFileSync(path.join(FIXTURES, file), 'utf8')
    .trim()
    .split('\n')
    .flatMap((line) => (JSON.parse(line) as { resourceSpans: readonly Resource[] }).resourceSpans)
    .flatMap(({ resource, scopeSpans }) =>
      scopeSpans.flatMap(({ scope, spans }) =>
        spans.map((span) => ({ resource, scopeSpans: [{ scope, spans: [span] }] })),
      ),
    )
    .map((resource) => JSON.stringify({ resourceSpans: [resource] }));
}
interface Resource {
  readonly resource: object;
  readonly scopeSpans: readonly { readonly scope: object; readonly spans: readonly object[] }[];
}

test('a conversation that goes on after it was taken for over has an end after all', async () => {
  const spans = spansOf('recorded/openinference-openai@4.2.7/meeting_process_killed.session.json');
  const [asks, answers] = spans.flatMap((request) => recordedRequest(request, 'test'));
  if (asks === undefined || answers === undefined) throw new Error('the fixture has two calls at least');
  const options = { suites: await builtinSuites(['default']), settings: defaultSettings() };
  const asked = { ...asks, logTime: 1 };
  const answeredAnHourLater = { ...answers, logTime: 3_600_000 };

  const first = await scoreRecorded({ ...options, batches: [asked] });
  const both = await scoreRecorded({ ...options, batches: [asked, answeredAnHourLater] });

  expect(first.withoutEnd).toMatchObject([{ sign: 'open-call', turns: 1 }]);
  expect(both.withoutEnd).toEqual([]);
});

test('the summary and the JSON of assay score say it', async () => {
  const file = path.join(FIXTURES, 'recorded/mastra@1.71.0/meeting_process_killed.json');

  const { stdout } = await assayHere(['score', file, '--suite', 'default']);
  const json = JSON.parse((await assayHere(['score', file, '--suite', 'default', '--json'])).stdout) as {
    input: object;
  };

  expect(stdout).toMatch(/1 turn has no end and no score: the root span never arrived.*\n {2}for example conv_/);
  expect(json.input).toMatchObject({ turns: 1, turns_without_end: [{ sign: 'no-root', turns: 1 }] });
});
