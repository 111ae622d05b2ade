/** The answers of `/api/v1` to a list of requests, without the times and the order that differ from store to store. */
import { expect } from 'vitest';
import { z } from 'zod';
import { outlineOf } from '../../../src/engine/suite-outline.ts';
import { EXPORT_TABLES, exportQuery } from '../../../src/api/export.ts';
import { LIST_ORDERS } from '../../../src/model/list-orders.ts';
import type { CompiledSuite } from '../../../src/score/suite/suite.ts';
import { V1_READS } from '../../../src/serve/api/v1/v1-reads.ts';
import { exportedBytes } from '../../../src/serve/exporting/exported-bytes.ts';
import type { V1Side } from '../../../src/serve/api/v1/v1-side.ts';

/** Conversations that are asked for whole. */
const DETAILS = 80;
const LISTS = [
  '',
  'outcome=hard_failure&outcome=partial_failure',
  'state=unscored',
  'state=scored&decided_below=0.9',
  'score_below=1',
  'criterion=answered',
  'words=calendar',
  'labelled=false&environment=simulation',
  'called_fine=true&came_out=unknown',
  'read=bad&kind=Loops&kind=Other',
  'read=good',
  'fact=ended%3A+with+an+answer',
];
const FROM = 'since=1970-01-01T00:00:00Z';
const FIGURES = [
  ['/api/v1/facets', FROM],
  ['/api/v1/suites', ''],
  ['/api/v1/trend', `${FROM}&until=1970-01-02T00:00:00Z&by=agent_version`],
  ['/api/v1/fleet', `${FROM}&until=1970-01-02T00:00:00Z`],
  ['/api/v1/moved', `${FROM}&until=1970-01-02T00:00:00Z&version=v2&against_version=v1`],
] as const;

const listSchema = z.looseObject({
  conversations: z.array(z.looseObject({ conversation_id: z.string() })),
  next: z.string().nullable(),
});

export async function pageAnswers(reader: V1Side['reader'], suites: readonly CompiledSuite[]) {
  const outlines = suites.map(outlineOf);
  const side: V1Side = {
    reader,
    suites: () => outlines,
    detectionState: () => ({ isActive: false, report: undefined }),
    prices: [],
    onDamage: () => expect.unreachable(),
  };
  const ask = async (path: string, query: string, conversation?: string): Promise<unknown> => {
    const route = V1_READS.find((one) => one.path === path);
    if (route === undefined) throw new Error(`no read is at ${path}`);
    const parameters = new Map(conversation === undefined ? [] : [['conversation', conversation]]);
    const { status, body } = await route.handle(side, { query: new URLSearchParams(query), parameters });
    expect([path, query, status]).toEqual([path, query, 200]);
    return comparable(JSON.parse(String(body)));
  };
  const answers = new Map<string, unknown>();
  const ids = new Set<string>();
  for (const query of LISTS)
    for (const order of LIST_ORDERS) {
      const found: z.infer<typeof listSchema>['conversations'] = [];
      for (let more: string | null = ''; more !== null; ) {
        const asked = `${query}&order=${order}&limit=70${more === '' ? '' : `&cursor=${more}`}`;
        const { conversations, next } = listSchema.parse(await ask('/api/v1/conversations', asked));
        found.push(...conversations);
        more = next;
      }
      for (const { conversation_id } of found) ids.add(conversation_id);
      const inOrder = found.toSorted((x, y) => (x.conversation_id < y.conversation_id ? -1 : 1));
      answers.set(`${query} ${order}`, inOrder);
    }
  for (const id of [...ids].toSorted().slice(0, DETAILS))
    answers.set(id, await ask('/api/v1/conversations/{conversation...}', '', id));
  for (const [path, query] of FIGURES) answers.set(path, await ask(path, query));
  for (const table of EXPORT_TABLES) {
    const pieces: Uint8Array[] = [];
    for await (const piece of exportedBytes({ reader, suites: outlines }, exportQuery.parse({ table })))
      pieces.push(piece);
    const lines = Buffer.concat(pieces).toString().split('\n').filter(Boolean);
    expect(lines.length).toBeGreaterThan(0);
    answers.set(`export of ${table}`, sorted(lines.map((line) => comparable(JSON.parse(line)))));
  }
  return answers;
}

const TIMES = ['updated_at', 'evaluated_at', 'last_at'];
/** Lists whose order is that in which rows were written. */
const UNORDERED = ['evaluations', 'evaluations_full'];

/** Sums depend on the order of rows in their last digits. */
const DIGITS = 9;

function comparable(value: unknown): unknown {
  if (typeof value === 'number') return Number(value.toFixed(DIGITS));
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      if (TIMES.includes(name)) return [];
      const same = comparable(inner);
      return [[name, UNORDERED.includes(name) && Array.isArray(same) ? sorted(same) : same]];
    }),
  );
}

function sorted(list: readonly unknown[]): readonly unknown[] {
  return list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
