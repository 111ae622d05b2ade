/**
 * Reviews suites by what is stored: which criteria always give the same verdict, and which always agree with another.
 * The first from the running totals, all that ever was decided; the second from the newest conversations, as many as
 * are looked at.
 */
import { DECISIONS } from '../model/decision.ts';
import {
  type CriterionRemark,
  type Likeness,
  reviewCriterion,
  VerdictPairs,
} from '../statistics/calibrate/criterion-review.ts';
import { goldenIdsOf } from '../engine/suite-outline.ts';
import { unusedTraces } from '../model/compared-traces.ts';
import type { Evaluation } from '../model/evaluation.ts';
import { QUALITY_METRICS, signIn } from '../report/metrics/quality-metrics.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';
import type { ConversationReader } from '../store/conversation-reader.ts';
import type { SearchCursor } from '../store/conversation-search.ts';

export interface SuiteReview {
  /** Conversations that were looked at, for likeness. */
  readonly conversations: number;
  readonly remarks: readonly ({ readonly suite: string; readonly criterion: string } & CriterionRemark)[];
  readonly alike: readonly ({ readonly suite: string } & Likeness)[];
  /** A sentence for each suite with golden traces that nothing was compared with. */
  readonly unusedTraces: readonly string[];
}

const CONVERSATIONS_MAX = 2_000;
const PAGE = 500;

export async function reviewSuites(
  reader: ConversationReader,
  suites: readonly CompiledSuite[],
  conversationsMax = CONVERSATIONS_MAX,
): Promise<SuiteReview> {
  const remarks = await remarksOn(reader, suites);
  const pairs = new Map(
    suites.map(({ id, criteria }) => [id, new VerdictPairs(criteria.map(({ name }) => name))] as const),
  );
  const traces = suites.map((suite) => ({ name: suite.name, golden: goldenIdsOf(suite) }));
  const compared: Pick<Evaluation, 'suite' | 'conversationId' | 'verdicts'>[] = [];
  let conversations = 0;
  let cursor: SearchCursor | undefined;
  do {
    const limit = Math.min(PAGE, conversationsMax - conversations);
    const { rows, next } = await reader.pages.search({ order: 'latest', limit, cursor });
    for (const row of rows) {
      for (const { suite, suiteVersion, conversationId, verdicts, waitsFor } of await reader.evaluations(row, {
        revisions: 'last',
      })) {
        // Another version of the suite asks other questions.
        if (waitsFor !== undefined) continue;
        pairs.get(`${suite}@${suiteVersion}`)?.add((criterion) => verdicts.get(criterion)?.verdict);
        if (pairs.has(`${suite}@${suiteVersion}`)) compared.push({ suite, conversationId, verdicts });
      }
    }
    conversations += rows.length;
    cursor = next;
  } while (cursor !== undefined && conversations < conversationsMax);
  const alike = suites.flatMap(({ name: suite, id }) =>
    (pairs.get(id)?.alike() ?? []).map((likeness) => ({ suite, ...likeness })),
  );
  return { conversations, remarks, alike, unusedTraces: unusedTraces(traces, compared, 'conversation') };
}

async function remarksOn(
  reader: ConversationReader,
  suites: readonly CompiledSuite[],
): Promise<SuiteReview['remarks']> {
  const counts = new Map<string, { pass: number; fail: number; undecided: number }>();
  for (const { metric, labels, value } of await reader.totals()) {
    const sign = signIn(QUALITY_METRICS.verdicts, metric);
    if (sign === undefined) continue;
    // The cast holds because the store's writer wrote the text.
    const { suite, criterion, verdict } = JSON.parse(labels) as Readonly<Record<string, string>>;
    const key = JSON.stringify([suite, criterion]);
    const count = counts.get(key) ?? { pass: 0, fail: 0, undecided: 0 };
    count[DECISIONS.find((decision) => decision === verdict) ?? 'undecided'] += sign * value;
    counts.set(key, count);
  }
  return suites.flatMap(({ name: suite, criteria }) =>
    criteria.flatMap(({ name: criterion }) => {
      const count = counts.get(JSON.stringify([suite, criterion]));
      const remark = count && reviewCriterion(count);
      return remark === undefined ? [] : [{ suite, criterion, ...remark }];
    }),
  );
}
