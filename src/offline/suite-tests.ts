/**
 * Runs the tests of suites: the conversation of each goes from spans to turns as any other does, and its suite is asked about it. Mistakes
 * of all files, in suites and in tests, come together, and then nothing is run.
 */
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { buildConversation, knowing } from '../assemble/build-conversation.ts';
import type { Conversation } from '../model/conversation.ts';
import type { SpanId } from '../model/ids.ts';
import type { Mistake } from '../model/mistake.ts';
import type { RedactionRules } from '../model/redaction.ts';
import type { ToolNames } from '../model/tool-names.ts';
import { loadSuites } from '../score/load-suites.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';
import { excerptRequest } from '../score/suite-test/excerpt-request.ts';
import { suitesBeside } from '../score/suite-test/find-suite-tests.ts';
import { readSuiteTests } from '../score/suite-test/read-suite-tests.ts';
import { runSuiteTest, strangersIn, type Unmet } from '../score/suite-test/run-suite-test.ts';
import type { Recorded, SuiteTest, SuiteTests } from '../score/suite-test/suite-test.ts';
import { RecordingError, readRecording, recordedRequest, redactBatches } from './recording.ts';
import { understandRecorded } from '../engine/recorded/understand-recording.ts';

export interface TestedSuite {
  readonly file: string;
  readonly line: number | undefined;
  readonly suite: string;
  readonly name: string;
  /** Empty where all is as expected. */
  readonly unmet: readonly UnmetAt[];
}

interface UnmetAt extends Unmet {
  /** The step that shows it, in words. */
  readonly at: string | undefined;
}

interface TestedSuites {
  readonly tests: readonly TestedSuite[];
  /** Suites of the tests, each once. */
  readonly suites: readonly CompiledSuite[];
  readonly mistakes: readonly Mistake[];
}

export interface SuiteTestOptions {
  readonly builtinDir: string;
  /** Settings of tools, from the configuration. */
  readonly tools?: ToolNames | undefined;
  /** Folder to which file names are relative. */
  readonly baseDir: string;
  readonly conversationKeys: readonly string[];
  /** Settings for recordings, as in `assay score`. */
  readonly redaction: RedactionRules | undefined;
}

const FILE_BYTES_MAX = 10 * 1024 * 1024;

interface ReadyTest {
  readonly file: string;
  readonly suite: CompiledSuite;
  readonly test: SuiteTest;
  /** Conversation with its ground truth; the last turn alone if the suite asks turn by turn. */
  readonly conversation: Conversation;
}

export async function testSuites(files: readonly string[], options: SuiteTestOptions): Promise<TestedSuites> {
  const { ready, mistakes } = await readyTests(files, options);
  if (mistakes.length > 0) return { tests: [], suites: [], mistakes };
  const tests = ready.map(({ file, suite, test, conversation }) => ({
    file,
    line: test.line,
    suite: suite.name,
    name: test.name,
    unmet: runSuiteTest(suite, test, conversation).map((unmet) => ({
      ...unmet,
      at: stepAt(unmet.spanId, conversation),
    })),
  }));
  // Two files of tests may be for one suite, which each of them loads.
  const suites = new Map(ready.map(({ suite }) => [`${suite.file} ${suite.id}`, suite]));
  return { tests, suites: [...suites.values()], mistakes };
}

/** The tests with their suites and conversations. Incomplete where there are mistakes. */
export async function readyTests(
  files: readonly string[],
  options: SuiteTestOptions,
): Promise<{ readonly ready: readonly ReadyTest[]; readonly mistakes: readonly Mistake[] }> {
  const mistakes: Mistake[] = [];
  const ready: ReadyTest[] = [];
  for (const file of files) ready.push(...(await prepare(file, options, mistakes)));
  return { ready, mistakes };
}

async function prepare(file: string, options: SuiteTestOptions, mistakes: Mistake[]): Promise<readonly ReadyTest[]> {
  const shown = shownAs(file, options.baseDir);
  const { size } = await stat(file);
  if (size > FILE_BYTES_MAX) {
    mistakes.push(nowhere(shown, `the file has ${size} bytes`, `at most ${FILE_BYTES_MAX}; put recordings into files`));
    return [];
  }
  const read = readSuiteTests(await readFile(file, 'utf8'), shown);
  mistakes.push(...read.mistakes);
  if (read.tests === undefined) return [];
  const suites = await suitesFor(read.tests, file, options, mistakes);
  if (suites.length === 0) return [];
  const ready: ReadyTest[] = [];
  for (const test of read.tests.tests) {
    const suite = suiteOf(test, suites, shown, mistakes);
    if (suite === undefined) continue;
    mistakes.push(...strangersIn(test, suite, shown));
    const whole = await conversationOf(test, file, shown, options, mistakes);
    const turn = whole?.turns.at(-1);
    if (whole === undefined || turn === undefined) continue;
    // A suite that scores turns is tested on the last turn, as a conversation of its own.
    const alone = suite.scope === 'turn' ? buildConversation(whole.id, [turn]) : whole;
    const conversation = test.truth === undefined ? alone : knowing(alone, [test.truth]);
    ready.push({ file: shown, suite, test, conversation });
  }
  return ready;
}

async function suitesFor(
  tests: SuiteTests,
  file: string,
  { builtinDir, baseDir, tools }: SuiteTestOptions,
  mistakes: Mistake[],
): Promise<readonly CompiledSuite[]> {
  const directory = path.dirname(file);
  const beside = tests.suite === undefined ? suitesBeside(file) : [path.resolve(directory, tests.suite)];
  const [reference] = beside;
  if (reference === undefined || beside.length > 1) {
    const found = beside.map((one) => path.basename(one)).join(' and ');
    const problem =
      reference === undefined ? 'no suite lies beside these tests' : `both ${found} lie beside these tests`;
    mistakes.push(nowhere(tests.file, problem, '`suite:` with the file of the suite'));
    return [];
  }
  const loaded = await loadSuites([path.relative(baseDir, reference)], { baseDir, builtinDir, tools });
  mistakes.push(...loaded.mistakes);
  return loaded.mistakes.length === 0 ? loaded.suites : [];
}

function suiteOf(
  test: SuiteTest,
  suites: readonly CompiledSuite[],
  file: string,
  mistakes: Mistake[],
): CompiledSuite | undefined {
  const [only] = suites;
  const found = test.suite === undefined ? only : suites.find(({ name }) => name === test.suite);
  if (found !== undefined && (test.suite !== undefined || suites.length === 1)) return found;
  const names = suites.map(({ name }) => name).join(', ');
  const problem = test.suite === undefined ? 'the module has several suites' : `there is no suite '${test.suite}'`;
  mistakes.push({ ...nowhere(file, problem, `\`suite:\` with one of ${names}`), line: test.line });
  return undefined;
}

async function conversationOf(
  { conversation, truth, name }: SuiteTest,
  file: string,
  shown: string,
  options: SuiteTestOptions,
  mistakes: Mistake[],
): Promise<Conversation | undefined> {
  const { conversationKeys } = options;
  if (conversation.is === 'excerpt') {
    const batches = recordedRequest(excerptRequest(conversation, truth), name);
    const [built] = (await understandRecorded(batches, { conversationKeys })).conversations;
    return built;
  }
  const mistake = (problem: string, expected: string) => {
    mistakes.push({ ...nowhere(shown, problem, expected), line: conversation.line, path: 'spans' });
    return undefined;
  };
  try {
    const recording = readRecording(path.resolve(path.dirname(file), conversation.spans));
    const { conversations } = await understandRecorded(redactBatches(recording, options.redaction), {
      conversationKeys,
    });
    return recordedOne(conversation, conversations, mistake);
  } catch (error) {
    if (error instanceof RecordingError) return mistake(error.message, 'spans that `assay score` can read');
    throw error;
  }
}

const SHOWN_MAX = 5;

function recordedOne(
  { id }: Recorded,
  conversations: readonly Conversation[],
  mistake: (problem: string, expected: string) => undefined,
): Conversation | undefined {
  const ids = conversations.slice(0, SHOWN_MAX).map((one) => one.id);
  const [only] = conversations;
  if (only === undefined) return mistake('nothing of an agent was found in the recording', 'spans of an agent');
  if (id === undefined) {
    if (conversations.length === 1) return only;
    const problem = `the recording has ${conversations.length} conversations`;
    return mistake(problem, `\`conversation:\` with the id of one, such as ${ids.join(', ')}`);
  }
  const found = conversations.find((one) => one.id === id);
  return found ?? mistake(`the recording has no conversation '${id}'`, `one of it, such as ${ids.join(', ')}`);
}

/** The step in words; undefined where there is none. */
export function stepAt(spanId: SpanId | undefined, { turns }: Conversation): string | undefined {
  if (spanId === undefined) return undefined;
  for (const [index, { steps }] of turns.entries()) {
    const step = steps.find((candidate) => candidate.spanId === spanId);
    if (step !== undefined) return `turn ${index + 1}, ${step.kind} ${step.name}`;
  }
  return `span ${spanId}`;
}

function shownAs(file: string, baseDir: string): string {
  const relative = path.relative(baseDir, file);
  return relative.startsWith('..') ? file : relative;
}

function nowhere(file: string, problem: string, expected: string): Mistake {
  return { file, line: undefined, column: undefined, path: '', problem, expected };
}
