/**
 * Recorded requests with attributes cut, emptied, exchanged, or of the wrong type, to find out whether any dialect
 * throws or takes long. The normalized result is not checked, because no right answer exists.
 */
import { readFileSync } from 'node:fs';
import { encodeTable } from '../../../src/otlp/batch-table.ts';
import { transcodeTraces } from '../../../src/otlp/json-transcoder.ts';
import { indexTraces } from '../../../src/otlp/traces-reader.ts';
import { dialectOf } from '../../../src/normalize/rule-dialect.ts';
import { understandRecorded } from '../../../src/engine/recorded/understand-recording.ts';
import { toInspectionJson } from '../../../src/report/inspect/inspection-json.ts';
import { randomFrom } from '../../random.ts';
import type { JsonAnyValue } from '../support/otlp.ts';
import { filesOf, recordedRuns } from './compare.ts';

interface Attribute {
  key: string;
  value?: JsonAnyValue;
}
interface Span {
  name?: string;
  parentSpanId?: string;
  spanId: string;
  attributes?: Attribute[];
  events?: { attributes?: Attribute[] }[];
}
interface Request {
  resourceSpans?: { scopeSpans?: { spans?: Span[] }[] }[];
}

export interface FuzzResult {
  readonly requests: number;
  readonly findings: readonly { readonly run: string; readonly what: string }[];
}

/** Far above the time of the largest of them, and far below the time of quadratic work. */
const SLOW_MS = 2000;

const JUNK = [
  '',
  '{',
  '[[[[',
  '{"a":',
  'null',
  '[null]',
  '{"messages":null}',
  '{"messages":[null,1,"a",{}]}',
  '[{"role":1,"content":{}}]',
  '[{"role":"user","parts":7}]',
  '[{"role":"assistant","tool_calls":[null,{"function":null}]}]',
  '{"content":{"parts":[null,{"function_call":null}]}}',
  '{"generations":[[null]],"output":[null]}',
  '{"__proto__":{"x":1}}',
  '[object Object]',
  '__REDACTED__',
  'NaN',
  '-1',
];
const NAMES = ['', 'chat', 'invoke_agent x', 'execute_tool y', 'handoff to Z', 'a'.repeat(5000)];

export async function fuzzDialects(options: {
  readonly requests: number;
  readonly seed: number;
  readonly onProgress?: (done: number) => void;
}): Promise<FuzzResult> {
  const random = randomFrom(options.seed);
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  const runs = recordedRuns();
  const findings: { run: string; what: string }[] = [];
  for (let done = 0; done < options.requests; done += 1) {
    const run = pick(runs) ?? '';
    const [file = ''] = filesOf(run);
    const line = pick(readFileSync(file, 'utf8').trim().split('\n')) ?? '{}';
    const request = mutated(line, random, pick);
    const startedAt = performance.now();
    try {
      await understand(request);
    } catch (error) {
      findings.push({ run, what: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
    const tookMs = performance.now() - startedAt;
    if (tookMs > SLOW_MS) findings.push({ run, what: `took ${Math.round(tookMs)} ms` });
    if (done % 1000 === 999) options.onProgress?.(done + 1);
  }
  return { requests: options.requests, findings };
}

async function understand(request: string): Promise<void> {
  const index = indexTraces(transcodeTraces(Buffer.from(request)));
  const batch = {
    signal: 'traces',
    bytes: index.bytes,
    table: encodeTable(index),
    rows: 0,
    rejected: 0,
    logTime: 0,
  } as const;
  const { conversations } = await understandRecorded([batch]);
  JSON.stringify(toInspectionJson(conversations, dialectOf));
}

type Pick = <T>(list: readonly T[]) => T | undefined;

function mutated(line: string, random: () => number, pick: Pick): string {
  // The cast holds for OTLP/JSON, which the fixtures are.
  const request = JSON.parse(line) as Request;
  const groups = (request.resourceSpans ?? []).flatMap(({ scopeSpans }) => scopeSpans ?? []);
  const keys = groups
    .flatMap(({ spans }) => spans ?? [])
    .flatMap(({ attributes }) => attributes ?? [])
    .map(({ key }) => key);
  for (const { spans = [] } of groups) {
    for (const span of spans) {
      for (const attribute of span.attributes ?? []) {
        if (random() < 0.08) attribute.value = mutatedValue(attribute.value, random, pick);
        else if (random() < 0.02) attribute.key = pick(keys) ?? attribute.key;
      }
      for (const attribute of (span.events ?? []).flatMap(({ attributes }) => attributes ?? [])) {
        if (random() < 0.1) attribute.value = mutatedValue(attribute.value, random, pick);
      }
      // Including cycles, because parents are claims of the spans.
      if (random() < 0.05) span.parentSpanId = pick(spans)?.spanId ?? span.spanId;
      if (random() < 0.05) span.name = pick(NAMES) ?? '';
    }
  }
  return JSON.stringify(request);
}

function mutatedValue(value: JsonAnyValue | undefined, random: () => number, pick: Pick): JsonAnyValue {
  const text = value?.stringValue;
  const kind = random();
  if (kind < 0.25) return { stringValue: pick(JUNK) ?? '' };
  if (kind < 0.55 && text !== undefined) return { stringValue: text.slice(0, Math.floor(random() * text.length)) };
  if (kind < 0.65) return { intValue: String(Math.floor(random() * 1e9)) };
  if (kind < 0.75) return { boolValue: true };
  if (kind < 0.85) return { arrayValue: { values: [{ stringValue: 'x' }, {}, { kvlistValue: { values: [] } }] } };
  if (kind < 0.95) {
    return {
      kvlistValue: {
        values: [
          { key: 'role', value: { intValue: '1' } },
          { key: 'parts', value: value ?? {} },
        ],
      },
    };
  }
  return {};
}
