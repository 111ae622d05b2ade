/** Two hours of live traffic, then a history of nine days that is read in now: the same expectations on every store. */
import { expect } from 'vitest';
import { conversationList } from '../../../../src/api/conversation-list.ts';
import { facets } from '../../../../src/api/facets.ts';
import { moved } from '../../../../src/api/moved.ts';
import { trend } from '../../../../src/api/trend.ts';
import { exportRequest, type TrafficSpan } from '../../../simulation/traffic.ts';
import { SUITE } from './filled-service.ts';

/** One for conversations and one for turns. */
export const SUITES = [
  SUITE,
  SUITE.replace('suite: calls', 'suite: turns').replace('scope: conversation', 'scope: turn'),
];

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const DAYS = 9;
const A_DAY = 8;
const AN_HOUR = 20;

interface Past {
  readonly id: string;
  readonly version: string;
  /** When its spans say that it began. */
  readonly at: number;
  /** Fails a criterion. */
  readonly fails: boolean;
}

/** From one of its conversations to the next. */
function every(count: number, one: (index: number) => Past): readonly Past[] {
  return Array.from({ length: count }, (_, index) => one(index));
}

export interface StoreSide {
  /** Resolves when the conversations are evaluated. */
  readonly take: (requests: readonly string[]) => Promise<void>;
  readonly ask: (path: string, query: string) => Promise<unknown>;
}

let sent = 0;

export async function holdToNineDays({ take, ask }: StoreSide): Promise<void> {
  const now = Date.now();
  const noon = Math.floor(now / DAY) * DAY + DAY / 2;
  const step = HOUR / AN_HOUR;
  const live = [
    ...every(AN_HOUR, (index) => ({
      id: `v1-${index}`,
      version: 'v1',
      at: now - 2 * HOUR + index * step,
      fails: index < 2,
    })),
    ...every(AN_HOUR, (index) => ({
      id: `v2-${index}`,
      version: 'v2',
      at: now - HOUR + index * step,
      fails: index > 7,
    })),
  ];
  const history = every(DAYS * A_DAY, (index) => {
    const days = 1 + Math.floor(index / A_DAY);
    return {
      id: `v0-${index}`,
      version: 'v0',
      at: noon - days * DAY - (index % A_DAY) * 60_000,
      fails: index % 3 === 0,
    };
  });
  const wrong = [
    { id: 'never-set', version: 'v2', at: 0, fails: false },
    { id: 'far-ahead', version: 'v2', at: Date.UTC(2090, 0, 1), fails: false },
  ];
  const list = async (query: string) =>
    conversationList.parse(await ask('/api/v1/conversations', `limit=200&${query}`)).conversations;
  const trendOf = async (suite: string) =>
    trend.parse(await ask('/api/v1/trend', `suite=${suite}&since=12d&bucket=1d&agent_version=v0`));
  const movedNow = async () => {
    const [since, until] = [now - HOUR, now].map((time) => new Date(time).toISOString());
    return moved.parse(await ask('/api/v1/moved', `suite=calls&since=${since}&until=${until}`));
  };

  await take(live.map(requestOf));
  const before = await movedNow();
  expect(before.difference?.value).toBeLessThan(-0.1);
  expect([before.before.evaluations, before.after.evaluations]).toEqual([AN_HOUR, AN_HOUR]);
  await take(history.map(requestOf));

  expect(await movedNow()).toEqual(before);
  for (const suite of ['calls', 'turns']) {
    const { series } = await trendOf(suite);
    expect(series).toHaveLength(1);
    expect(series[0]?.buckets.map(({ at, evaluations }) => [Date.parse(at), evaluations])).toEqual(
      Array.from({ length: DAYS }, (_, index) => [noon - DAY / 2 - (DAYS - index) * DAY, A_DAY]),
    );
  }
  expect((await list('since=1h')).every(({ agent_version: version }) => version === 'v2')).toBe(true);
  expect(await list('since=3h&agent_version=v0')).toEqual([]);
  const all = await list('');
  expect(all.map(({ conversation_id: id }) => id)).toEqual(
    [...live, ...history].toSorted((a, b) => b.at - a.at).map(({ id }) => id),
  );
  expect(all.map(({ began_at: at }) => Date.parse(at))).toEqual(
    [...live, ...history].map(({ at }) => Math.floor(at)).toSorted((a, b) => b - a),
  );
  const day = [noon - 4 * DAY - DAY / 2, noon - 4 * DAY + DAY / 2].map((time) => new Date(time).toISOString());
  expect(await list(`since=${day[0]}&until=${day[1]}`)).toHaveLength(A_DAY);
  const versions = facets.parse(await ask('/api/v1/facets', '')).agent_versions;
  expect(versions.map(({ agent_version: version, first_at: at }) => [version, Date.parse(at)])).toEqual([
    ['v2', Math.floor(now - HOUR)],
    ['v1', Math.floor(now - 2 * HOUR)],
    ['v0', Math.min(...history.map(({ at }) => at))],
  ]);

  await take(wrong.map(requestOf));
  const latest = await list('since=10m');
  expect(
    latest
      .filter((one) => one.clock_wrong)
      .map(({ conversation_id: id }) => id)
      .toSorted(),
  ).toEqual(['far-ahead', 'never-set']);
  for (const { began_at: at } of latest) expect(Math.abs(Date.parse(at) - Date.now())).toBeLessThan(10 * 60_000);
}

/** A conversation of one turn, whose last span says that it has ended. */
function requestOf({ id, version, at, fails }: Past): string {
  sent += 1;
  const number = sent;
  const span = (place: number, attributes: Readonly<Record<string, string | boolean>>): TrafficSpan => ({
    traceId: number.toString(16).padStart(32, 'd'),
    spanId: `${number}${place}`.padStart(16, 'e'),
    ...(place === 0 ? {} : { parentSpanId: `${number}0`.padStart(16, 'e') }),
    name: String(attributes['gen_ai.operation.name']),
    kind: 1,
    startTimeUnixNano: String(BigInt(Math.floor(at)) * 1_000_000n + BigInt(place)),
    endTimeUnixNano: String(BigInt(Math.floor(at)) * 1_000_000n + 5_000_000n),
    attributes: Object.entries(attributes).map(([key, value]) => ({
      key,
      value: typeof value === 'boolean' ? { boolValue: value } : { stringValue: value },
    })),
    status: { code: 0 },
  });
  const tool = span(1, { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'track' });
  const root = span(0, {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.conversation.id': id,
    'gen_ai.agent.name': 'helper',
    'assay.conversation.end': true,
  });
  return exportRequest([...(fails ? [] : [tool]), root], version);
}
