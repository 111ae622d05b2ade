/**
 * The spans of a run give the same conversation in whatever order they arrive, however often, and in whichever
 * requests.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { encodeTable } from '../../../src/otlp/batch-table.ts';
import { transcodeLogs, transcodeTraces } from '../../../src/otlp/json-transcoder.ts';
import { indexLogs } from '../../../src/otlp/logs-reader.ts';
import { indexTraces } from '../../../src/otlp/traces-reader.ts';
import { dialectOf } from '../../../src/normalize/rule-dialect.ts';
import type { RecordedBatch } from '../../../src/engine/recorded/recorded-batch.ts';
import { understandRecorded } from '../../../src/engine/recorded/understand-recording.ts';
import { toInspectionJson } from '../../../src/report/inspect/inspection-json.ts';
import { randomFrom, shuffled } from '../../random.ts';
import { filesOf, recordedRuns } from './compare.ts';
import { rounds } from '../../rounds.ts';

type Group = Readonly<Record<string, unknown>>;
/** A span or a log record, with its resource and scope. */
interface Arriving {
  readonly signal: 'traces' | 'logs';
  readonly resource: unknown;
  readonly scope: unknown;
  readonly record: unknown;
}

const NAMES = {
  traces: { resources: 'resourceSpans', scopes: 'scopeSpans', records: 'spans' },
  logs: { resources: 'resourceLogs', scopes: 'scopeLogs', records: 'logRecords' },
} as const;

function listIn(group: Group, key: string): readonly Group[] {
  // The cast holds for OTLP/JSON; a fixture that is something else fails the test.
  return (group[key] ?? []) as readonly Group[];
}

function arrivalsOf(run: string): readonly Arriving[] {
  return filesOf(run).flatMap((file) => {
    const signal = file.endsWith('.logs.json') ? 'logs' : 'traces';
    const names = NAMES[signal];
    return readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .flatMap((line) =>
        listIn(JSON.parse(line) as Group, names.resources).flatMap((resource) =>
          listIn(resource, names.scopes).flatMap((scope) =>
            listIn(scope, names.records).map((record) => ({
              signal,
              resource: resource.resource,
              scope: scope.scope,
              record,
            })),
          ),
        ),
      );
  });
}

function requestOf(signal: 'traces' | 'logs', arriving: readonly Arriving[]): RecordedBatch {
  const { resources, scopes, records } = NAMES[signal];
  const request = {
    [resources]: arriving.map(({ resource, scope, record }) => ({
      resource,
      [scopes]: [{ scope, [records]: [record] }],
    })),
  };
  const json = Buffer.from(JSON.stringify(request));
  const bytes = signal === 'traces' ? transcodeTraces(json) : transcodeLogs(json);
  const index = signal === 'traces' ? indexTraces(bytes) : indexLogs(bytes);
  return { signal, bytes: index.bytes, table: encodeTable(index), rows: arriving.length, rejected: 0, logTime: 0 };
}

/**
 * Log records of one span keep their order. Records of one message history are written within a millisecond and have
 * the same time, and only the order tells which came first. An exporter sends them in that order, in one request.
 */
function withRecordsInOrder(mixed: readonly Arriving[], arrivals: readonly Arriving[]): readonly Arriving[] {
  const spanOf = ({ record }: Arriving) => (record as Group).spanId;
  const inOrder = mixed.toSorted((a, b) => arrivals.indexOf(a) - arrivals.indexOf(b));
  const queues = Map.groupBy(inOrder, (item) => (item.signal === 'logs' ? spanOf(item) : item));
  return mixed.map((item) => (item.signal === 'logs' ? queues.get(spanOf(item))?.shift() : item) ?? item);
}

function* rearranged(arrivals: readonly Arriving[], seed: number): Generator<RecordedBatch> {
  const random = randomFrom(seed);
  const twice = arrivals.filter(() => random() < 0.2);
  let rest = withRecordsInOrder(shuffled([...arrivals, ...twice], random), arrivals);
  while (rest.length > 0) {
    const count = 1 + Math.floor(random() * 6);
    const batch = rest.slice(0, count);
    rest = rest.slice(count);
    for (const signal of ['traces', 'logs'] as const) {
      const members = batch.filter((item) => item.signal === signal);
      if (members.length > 0) yield requestOf(signal, members);
    }
  }
}

async function understood(batches: Iterable<RecordedBatch>) {
  return toInspectionJson((await understandRecorded(batches)).conversations, dialectOf);
}

describe.each(recordedRuns())('%s', (run) => {
  test('is the same conversation however it arrives', async () => {
    const arrivals = arrivalsOf(run);
    const straight = await understood(
      (['traces', 'logs'] as const).flatMap((signal) => {
        const members = arrivals.filter((item) => item.signal === signal);
        return members.length === 0 ? [] : requestOf(signal, members);
      }),
    );

    for (let seed = 1; seed <= rounds(3); seed += 1)
      expect(await understood(rearranged(arrivals, seed))).toEqual(straight);
  });
});
