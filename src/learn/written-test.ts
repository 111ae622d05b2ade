/**
 * A conversation as a test of a suite, in the few lines in which people write them, with the verdicts that it was given.
 * The text is read and run as `assay suite test` will do it before it is handed out. So a verdict that the lines do not
 * reproduce is named in a remark, and not expected.
 */
import path from 'node:path';
import { Document } from 'yaml';
import { buildConversation, knowing } from '../assemble/build-conversation.ts';
import { contentsByTrace } from '../assemble/trace-content.ts';
import { turnsOfTrace } from '../engine/turns-of-trace.ts';
import type { Conversation } from '../model/conversation.ts';
import { counted } from '../model/counted.ts';
import { present } from '../model/present.ts';
import { decisionOf } from '../model/decision.ts';
import type { Evaluation, VerdictKind } from '../model/evaluation.ts';
import type { Excerpt, ExcerptCall, ExcerptTurn } from '../model/excerpt.ts';
import { END_MARK, STATE_MARK, TRUTH_MARK } from '../model/marks.ts';
import { transcodeTraces } from '../otlp/json-transcoder.ts';
import { partsOf } from '../model/verdict-parts.ts';
import { visibleYaml } from '../model/visible-yaml.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';
import { excerptRequest } from '../score/suite-test/excerpt-request.ts';
import { readSuiteTests } from '../score/suite-test/read-suite-tests.ts';
import { runSuiteTest, type Unmet } from '../score/suite-test/run-suite-test.ts';
import { ONE } from '../score/subject/weigh.ts';

/** Characters of a text that a person copies. */
const TEXT_MAX = 1_000_000;
/** JSON of what is written, which is shorter in YAML only where it has many quotes and escapes. */
const JSON_MAX = 4 * TEXT_MAX;
/** Processor time, of which each attempt takes about a second for 5,000 tool calls. Others wait for this thread. */
const CPU_MS_MAX = 5_000;

interface Written {
  readonly conversation: Conversation;
  readonly excerpt: Excerpt;
  readonly evaluation: Evaluation;
  readonly suite: CompiledSuite;
}

/** A text says why it cannot be written. */
export function writtenTest(
  written: Written,
  { cpuMsMax = CPU_MS_MAX }: { readonly cpuMsMax?: number } = {},
): { readonly text: string } | string {
  const { conversation, excerpt } = written;
  const { length } = JSON.stringify(excerpt);
  if (length > JSON_MAX) return `it has about ${length} characters, and ${TEXT_MAX} are the most`;
  const startedAt = process.threadCpuUsage();
  const isSpent = () => {
    const { user, system } = process.threadCpuUsage(startedAt);
    return (user + system) / 1_000 >= cpuMsMax;
  };
  const calls = conversation.turns.reduce((sum, { toolCalls }) => sum + toolCalls.length, 0);
  const tooLong = `with ${counted(calls, 'tool call')} and ${length} characters it takes too long; take a shorter one`;
  let left = 'nothing of its verdicts can be expected';
  // A suite may be for conversations with certain attributes only.
  for (const attributes of [marksOf(conversation), attributesOf(conversation)]) {
    if (isSpent()) return tooLong;
    const first = attempt({ ...written, attributes, unmet: [] });
    if (typeof first === 'string') return first;
    const [applies] = first.unmet.filter(({ what }) => what === 'applies');
    if (applies !== undefined) {
      left = `its few lines are not what the suite is for: ${applies.reason}`;
      continue;
    }
    if (first.unmet.length === 0) return { text: first.text };
    if (isSpent()) return tooLong;
    const second = attempt({ ...written, attributes, unmet: first.unmet });
    if (typeof second === 'string') return second;
    if (second.unmet.length === 0) return { text: second.text };
  }
  return left;
}

type Attributes = Excerpt['attributes'];

function attempt(
  written: Written & { readonly attributes: Attributes; readonly unmet: readonly Unmet[] },
): { readonly text: string; readonly unmet: readonly Unmet[] } | string {
  const { suite, conversation, unmet } = written;
  const test = testOf(written);
  if (unmet.length > 0 && Object.keys(test.expect).length + (test.outcome === undefined ? 0 : 1) === 0)
    return 'its few lines are scored in another way than what was recorded';
  const text = documentOf(test, written);
  if (text.length > TEXT_MAX) return `it would have ${text.length} characters, and ${TEXT_MAX} are the most`;
  const [read] = readSuiteTests(text, 'test').tests?.tests ?? [];
  // Texts of spans may be such that no file of YAML holds them.
  if (read === undefined || read.conversation.is !== 'excerpt') return 'its texts cannot be written in YAML';
  const retold = understood(read.conversation, conversation);
  return { text, unmet: runSuiteTest(suite, read, retold) };
}

/** The way of every conversation: from spans to turns. */
function understood(excerpt: Excerpt, { id, truth }: Conversation): Conversation {
  const bytes = transcodeTraces(Buffer.from(excerptRequest(excerpt, truth)));
  const turns = contentsByTrace([{ signal: 'traces', bytes }]).flatMap((source) => turnsOfTrace(source));
  const conversation = buildConversation(id, turns);
  return truth === undefined ? conversation : knowing(conversation, [truth]);
}

/** Whether a test can expect it: a failure of a check or a judge is not what anybody wants again. */
const IS_EXPECTED = {
  pass: true,
  fail: true,
  not_applicable: true,
  error: false,
  skipped: false,
} satisfies Record<VerdictKind, boolean>;

interface TestJson {
  readonly expect: Readonly<Record<string, string>>;
  readonly outcome: string | undefined;
  readonly [field: string]: unknown;
}

function testOf({
  conversation,
  excerpt,
  evaluation,
  attributes,
  unmet,
}: Written & { readonly attributes: Attributes; readonly unmet: readonly Unmet[] }): TestJson {
  const { verdicts, outcome, score } = evaluation;
  const isMet = (what: string) => !unmet.some((one) => one.what === what);
  const [only] = excerpt.turns;
  const judged = [...verdicts].flatMap(([criterion, verdict]) => {
    const { judgedBy, reason } = partsOf(verdict);
    if (judgedBy === undefined) return [];
    return [[criterion, { [decisionOf(verdict.verdict) === 'pass' ? 'yes' : 'no']: reason }] as const];
  });
  return {
    name: `${conversation.id}: ${outcome.replaceAll('_', ' ')}`,
    ...present({
      agent: excerpt.agent,
      version: excerpt.version,
      environment: excerpt.environment,
      instructions: excerpt.instructions,
      attributes: attributes.size === 0 ? undefined : Object.fromEntries(attributes),
    }),
    ...(excerpt.turns.length === 1 && only !== undefined
      ? { ...turnJson({ ...only, state: undefined }), ...present({ state: conversation.state }) }
      : { turns: excerpt.turns.map(turnJson) }),
    ...present({ truth: conversation.truth }),
    ...(judged.length === 0 ? {} : { judge: Object.fromEntries(judged) }),
    expect: Object.fromEntries(
      [...verdicts]
        .filter(([criterion, { verdict }]) => isMet(criterion) && IS_EXPECTED[verdict])
        .map(([criterion, { verdict }]) => [criterion, verdict]),
    ),
    ...present({ score: score === undefined || !isMet('score') ? undefined : Number((score / ONE).toFixed(2)) }),
    outcome: isMet('outcome') ? outcome : undefined,
  };
}

function turnJson({ user, calls, answer, error, state }: ExcerptTurn): Readonly<Record<string, unknown>> {
  return {
    ...present({ user }),
    ...(calls.length === 0
      ? {}
      : { calls: calls.map((group) => (group.length === 1 ? group.map(callJson)[0] : group.map(callJson))) }),
    ...present({ answer, error, state }),
  };
}

function callJson({ tool, args, result, error }: ExcerptCall): Readonly<Record<string, unknown>> {
  return { tool, args, ...present({ result, error }) };
}

const PREFIX = 'assay.';
const MARKS: readonly string[] = [END_MARK, STATE_MARK, TRUTH_MARK];
/** Written by the lines themselves. */
const WRITTEN = /^(?:gen_ai|service|deployment|telemetry|otel|process|host)\./;
const ATTRIBUTE_LENGTH_MAX = 200;

/** The scenario, the tags and whatever else an application tells Assay. */
function marksOf({ attributes }: Conversation): Attributes {
  return new Map([...attributes].filter(([key]) => key.startsWith(PREFIX) && !MARKS.includes(key)));
}

function attributesOf({ attributes }: Conversation): Attributes {
  return new Map(
    [...attributes].filter(
      ([key, value]) => !WRITTEN.test(key) && !MARKS.includes(key) && String(value).length <= ATTRIBUTE_LENGTH_MAX,
    ),
  );
}

function documentOf(
  { expect, outcome, ...test }: TestJson,
  { conversation, evaluation, suite, unmet }: Written & { readonly unmet: readonly Unmet[] },
): string {
  const { suite: name, suiteVersion: version, revision } = evaluation;
  const file = `${path.basename(suite.file).replace(/\.\w+$/, '')}.test.yaml`;
  const tests = [
    { ...test, ...(Object.keys(expect).length === 0 ? {} : { expect }), ...(outcome === undefined ? {} : { outcome }) },
  ];
  const document = new Document(wellFormed({ tests }), { aliasDuplicateObjects: false });
  document.commentBefore = [
    ...unmet
      .filter(({ expected }) => expected === 'fail')
      .map(
        ({ what }) =>
          ` The failure of ${what} is not in this test: it rests on what the lines do not hold, such as an earlier turn.`,
      ),
    ` Conversation ${oneLine(conversation.id)}, with the verdicts of suite ${name} ${version}, revision ${revision}.`,
    ` Save it as ${oneLine(file)} beside the suite, or add it there without the line \`tests:\`.`,
    ' In another folder it takes a line `suite:` with the path of the suite.',
    ...unmet.map(
      ({ what, expected, actual }) =>
        ` Not expected, as these lines do not hold all that was recorded: ${what} was ${expected}, and is ${actual} here.`,
    ),
  ].join('\n');
  return visibleYaml(document);
}

function oneLine(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?').slice(0, 200);
}

/** Spans may hold text that is no text of Unicode, and NUL, which no file of YAML holds. */
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '');
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [wellFormed(key), wellFormed(member)]));
}
