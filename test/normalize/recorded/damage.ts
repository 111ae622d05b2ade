/**
 * Damages recorded exports whose truth is known, and counts what is then scored wrong without a word: an attribute under
 * another name, spans that are lost, another exporter's scope. Each export is scored undamaged first:
 *
 *     harmless   no criterion is decided that was not, or otherwise
 *     said       one is, and its turn has a flag or a doubt that it had not; or nothing is scored at all
 *     gone       one is, and nothing that is left of the turn tells of what it lost
 *     silent     all else
 */
import { readFileSync } from 'node:fs';
import type { Conversation } from '../../../src/model/conversation.ts';
import { decisionOf } from '../../../src/model/decision.ts';
import type { Turn } from '../../../src/model/turn.ts';
import { buildConversation } from '../../../src/assemble/build-conversation.ts';
import type { RecordedBatch } from '../../../src/engine/recorded/recorded-batch.ts';
import { understandRecorded } from '../../../src/engine/recorded/understand-recording.ts';
import { readRecording } from '../../../src/offline/recording.ts';
import { encodeTable } from '../../../src/otlp/batch-table.ts';
import { transcodeTraces } from '../../../src/otlp/json-transcoder.ts';
import { indexTraces } from '../../../src/otlp/traces-reader.ts';
import { evaluate } from '../../../src/score/suite/evaluate.ts';
import type { CompiledSuite } from '../../../src/score/suite/suite.ts';
import { filesOf, recordedRuns } from './compare.ts';

interface Attribute {
  key: string;
  value?: { readonly stringValue?: string };
}
interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name?: string;
  attributes?: Attribute[];
}
interface Group {
  scope?: { name?: string };
  spans?: Span[];
}
export interface Request {
  resourceSpans?: { scopeSpans?: Group[] }[];
}

export interface Damage {
  readonly name: string;
  /** Changes the requests; says whether there was anything to change. */
  readonly apply: (requests: readonly Request[]) => boolean;
}

/** Ends of the names of attributes that dialects read, each renamed on all spans at once. */
const RENAMED: readonly (readonly [what: string, key: RegExp])[] = [
  ['kind', /(?:operation\.name|span\.kind|span\.type|observation\.type|operationId|spanType|type)$/],
  [
    'question',
    /(?:input\.messages|prompt\.messages|gen_ai\.prompt|input_messages|input\.value|entity\.input|observation\.input|ai\.prompt)/,
  ],
  [
    'answer',
    /(?:output\.messages|gen_ai\.completion|output_messages|output\.value|entity\.output|observation\.output|response\.text)/,
  ],
  ['tool name', /tool[._]?(?:call[._]?)?name$|toolCall\.name$/i],
  ['tool arguments', /tool.*(?:arguments|args|parameters|input)$/i],
  ['tool result', /tool.*(?:result|output|response)$/i],
  ['model', /(?:model|model_name|model\.id)$/],
  ['tokens', /(?:usage\.|token_count|tokens)/i],
];

const groupsOf = (requests: readonly Request[]): readonly Group[] =>
  requests.flatMap(({ resourceSpans = [] }) => resourceSpans).flatMap(({ scopeSpans = [] }) => scopeSpans);

function renaming([what, key]: (typeof RENAMED)[number], into: (key: string) => string, how: string): Damage {
  return {
    name: `${what} ${how}`,
    apply: (requests) => {
      let changed = false;
      for (const { spans = [] } of groupsOf(requests)) {
        for (const attribute of spans.flatMap(({ attributes = [] }) => attributes)) {
          if (!key.test(attribute.key)) continue;
          attribute.key = into(attribute.key);
          changed = true;
        }
      }
      return changed;
    },
  };
}

function dropping(name: string, which: (span: Span, all: readonly Span[]) => boolean): Damage {
  return {
    name,
    apply: (requests) => {
      const all = groupsOf(requests).flatMap(({ spans = [] }) => spans);
      let changed = false;
      for (const group of groupsOf(requests)) {
        const kept = (group.spans ?? []).filter((span) => !which(span, all));
        changed ||= kept.length < (group.spans ?? []).length;
        group.spans = kept;
      }
      return changed && groupsOf(requests).some(({ spans = [] }) => spans.length > 0);
    },
  };
}

/** Ids of spans of tools, as the undamaged export is read. */
let toolSpans: ReadonlySet<string> = new Set();
const isTool = ({ spanId }: Span) => toolSpans.has(spanId);
const isRoot = ({ parentSpanId = '' }: Span) => parentSpanId === '';

export const DAMAGES: readonly Damage[] = [
  ...RENAMED.map((row) => renaming(row, (key) => `app.${key}`, 'under a prefix')),
  ...RENAMED.map((row) => renaming(row, (key) => `${key}_v2`, 'with another end')),
  dropping('tools lost', isTool),
  dropping('roots lost', (span, all) => isRoot(span) && all.some(({ parentSpanId }) => parentSpanId === span.spanId)),
  dropping('every third span lost', ({ spanId }) => Number.parseInt(spanId.slice(-2), 16) % 3 === 0),
  {
    name: 'tools lost of an unknown exporter',
    apply: (requests) => {
      for (const { scope } of groupsOf(requests)) if (scope !== undefined) scope.name = 'unlisted';
      return dropping('', isTool).apply(requests);
    },
  },
  {
    name: 'answer printed as an object',
    apply: (requests) => {
      let changed = false;
      for (const attribute of groupsOf(requests).flatMap(({ spans = [] }) =>
        spans.flatMap(({ attributes = [] }) => attributes),
      )) {
        const text = attribute.value?.stringValue;
        if (
          text === undefined ||
          !/output\.value$|output\.messages$|observation\.output$|entity\.output$|response\.text$/.test(attribute.key)
        )
          continue;
        attribute.value = { stringValue: `AgentRunOutput(run_id='1', content=${JSON.stringify(text.slice(0, 80))})` };
        changed = true;
      }
      return changed;
    },
  },
];

interface Scored {
  readonly facts: ReadonlyMap<string, string>;
  readonly decided: ReadonlyMap<string, string>;
  readonly signs: ReadonlySet<string>;
  readonly scoredTurns: number;
  readonly toolSpans: ReadonlySet<string>;
}

export interface DamageResult {
  readonly run: string;
  readonly damage: string;
  readonly is: 'harmless' | 'said' | 'silent' | 'gone';
  readonly because: string;
}

export interface DamageCounts {
  readonly results: readonly DamageResult[];
  /** Undamaged runs with a doubt. */
  readonly doubted: readonly string[];
  readonly runs: number;
}

export async function damageRuns(options: {
  readonly suites: readonly CompiledSuite[];
  readonly isIn?: (number: number) => boolean;
  readonly onProgress?: (done: number, of: number) => void;
}): Promise<DamageCounts> {
  const runs = recordedRuns().filter((_, number) => options.isIn?.(number) ?? true);
  const results: DamageResult[] = [];
  const doubted: string[] = [];
  for (const [number, run] of runs.entries()) {
    const [traces = '', ...logs] = filesOf(run);
    const text = linesOf(traces);
    const before = await scoredFrom(text.map(parsed), logs, options.suites);
    const doubts = [...before.signs].filter((sign) => sign.includes(' doubt '));
    if (doubts.length > 0) doubted.push(`${run}: ${doubts.join(', ')}`);
    toolSpans = before.toolSpans;
    for (const damage of DAMAGES) {
      const requests = text.map(parsed);
      if (!damage.apply(requests)) continue;
      results.push({
        run,
        damage: damage.name,
        ...compared(before, await scoredFrom(requests, logs, options.suites), requests),
      });
    }
    options.onProgress?.(number + 1, runs.length);
  }
  return { results, doubted, runs: runs.length };
}

function linesOf(file: string): readonly string[] {
  return readFileSync(file, 'utf8').trim().split('\n');
}

/** The cast holds for OTLP/JSON, which the fixtures are. */
function parsed(line: string): Request {
  return JSON.parse(line) as Request;
}

function compared(before: Scored, after: Scored, requests: readonly Request[]): Pick<DamageResult, 'is' | 'because'> {
  const wrong = [...after.decided].filter(([criterion, decision]) => before.decided.get(criterion) !== decision);
  const changed = [...before.facts].filter(([fact, value]) => after.facts.get(fact) !== value).map(([fact]) => fact);
  if (after.scoredTurns === 0) return { is: 'said', because: 'nothing was scored' };
  if (wrong.length === 0) return { is: 'harmless', because: changed.slice(0, 3).join(', ') };
  const because = wrong.map(
    ([criterion, decision]) => `${criterion}: ${before.decided.get(criterion) ?? '-'} → ${decision}`,
  );
  const signs = [...after.signs].filter((sign) => !before.signs.has(sign));
  const wrongTurns = new Set(wrong.map(([criterion]) => criterion.split(' ')[0] ?? ''));
  const isSaid = [...wrongTurns].every((turn) => signs.some((sign) => sign.startsWith(`${turn} `)));
  if (isSaid) return { is: 'said', because: signs.slice(0, 3).join(', ') };
  const isGone = [...wrongTurns].every((turn) => isLost(turn, before, after, requests));
  return { is: isGone ? 'gone' : 'silent', because: because.slice(0, 4).join('; ') };
}

/** Nothing that is left of its own trace tells of what the turn lost; later turns may, which come later. */
function isLost(turn: string, before: Scored, after: Scored, requests: readonly Request[]): boolean {
  const lost = [...before.facts].filter(
    ([fact, value]) => fact.startsWith(`${turn} `) && after.facts.get(fact) !== value,
  );
  const spans = groupsOf(requests).flatMap(({ spans: all = [] }) =>
    all.filter(({ traceId }) => turn.startsWith(traceId)),
  );
  const left = JSON.stringify(spans.map(({ attributes, name }) => [name, attributes]));
  return lost.length > 0 && lost.every(([, value]) => !wordsOf(value).some((word) => left.includes(word)));
}

/** Enough of a fact to find it again in what is left; of tools, their names. */
function wordsOf(fact: string): readonly string[] {
  // The cast holds: it is what `noteTurn` wrote.
  if (fact.startsWith('[[')) return (JSON.parse(fact) as readonly (readonly [string, unknown])[]).map(([name]) => name);
  return fact === '' || fact === '[]' ? [] : [JSON.stringify(fact.slice(0, 30)).slice(1, -1)];
}

async function scoredFrom(
  requests: readonly Request[],
  logs: readonly string[],
  suites: readonly CompiledSuite[],
): Promise<Scored> {
  const batches = requests.map((request) => {
    const index = indexTraces(transcodeTraces(Buffer.from(JSON.stringify(request))));
    const table = encodeTable(index);
    return { signal: 'traces', bytes: index.bytes, table, rows: index.spanCount, rejected: 0, logTime: 0 } as const;
  });
  const { conversations } = await understandRecorded(all(batches, logs));
  const facts = new Map<string, string>();
  const decided = new Map<string, string>();
  const signs = new Set<string>();
  const tools = new Set<string>();
  let scoredTurns = 0;
  const places = placesOf(conversations.flatMap(({ turns }) => turns));
  for (const conversation of conversations) {
    for (const turn of conversation.turns) {
      noteTurn(places.get(turn) ?? turn.id, turn, facts, signs);
      for (const { kind, spanId } of turn.steps) if (kind === 'tool') tools.add(spanId);
      for (const suite of suites) {
        const place = places.get(turn) ?? turn.id;
        scoredTurns += noteVerdicts(suite, { of: conversation, turn, place }, decided);
      }
    }
  }
  return { facts, decided, signs, scoredTurns, toolSpans: tools };
}

async function* all(batches: readonly RecordedBatch[], logs: readonly string[]): AsyncGenerator<RecordedBatch> {
  yield* batches;
  for (const file of logs) yield* readRecording(file);
}

/** Names each turn by its place in the trace: a turn whose root is not seen has the id of another span. */
function placesOf(turns: readonly Turn[]): ReadonlyMap<Turn, string> {
  const places = new Map<Turn, string>();
  for (const [traceId, own] of Map.groupBy(turns, (turn) => turn.traceId))
    for (const [place, turn] of own.entries()) places.set(turn, `${traceId}#${place}`);
  return places;
}

function noteTurn(place: string, turn: Turn, facts: Map<string, string>, signs: Set<string>): void {
  facts.set(`${place} question`, turn.userInput.text);
  facts.set(`${place} answer`, turn.finalAnswer.text);
  facts.set(`${place} tools`, JSON.stringify(turn.toolCalls.map(({ name, args }) => [name, args.json])));
  facts.set(`${place} results`, turn.toolCalls.map(({ result, error }) => error?.message ?? result.text).join('\n'));
  for (const doubt of turn.doubts) signs.add(`${place} doubt ${doubt}`);
  for (const flag of turn.flags) signs.add(`${place} flag ${flag}`);
}

function noteVerdicts(
  suite: CompiledSuite,
  { of, turn, place }: { readonly of: Conversation; readonly turn: Turn; readonly place: string },
  decided: Map<string, string>,
): number {
  const conversation = buildConversation(of.id, [turn]);
  if (!suite.matches(conversation)) return 0;
  const { verdicts, score } = evaluate(suite, { conversation, turnId: turn.id, revision: 1 });
  if (score === undefined) return 0;
  for (const [criterion, { verdict }] of verdicts) {
    const decision = decisionOf(verdict);
    if (decision !== undefined) decided.set(`${place} ${suite.name}/${criterion}`, decision);
  }
  return 1;
}
