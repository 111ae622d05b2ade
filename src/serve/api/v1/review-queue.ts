/**
 * `GET /api/v1/review/queue`: conversations for people to label, from the latest evaluations of a suite. A random sample
 * is the same for everybody, so that two people meet in the same conversations and their agreement can be measured. It
 * does not change as new conversations come, except that these join it.
 */
import { createHash } from 'node:crypto';
import type { SuiteOutline } from '../../../engine/suite-outline.ts';
import { decisionOf } from '../../../model/decision.ts';
import type { VerdictKind } from '../../../model/evaluation.ts';
import type { HumanLabel, LabelKind, LabelledVerdict } from '../../../model/labels.ts';
import { type ReviewQueue, reviewQueueQuery } from '../../../model/api/review.ts';
import { jsonAnswer } from '../../../report/http/answer.ts';
import { reading } from '../../../report/http/route.ts';
import { decodeBasis } from '../../../store/basis-codec.ts';
import type { ConversationReader, ConversationRow } from '../../../store/conversation-reader.ts';
import type { EvaluationScanner, ScannedEvaluation } from '../../../store/evaluation-scan.ts';
import type { LabelReader } from '../../../store/label-store.ts';

interface QueueSide {
  readonly reader: EvaluationScanner & LabelReader & Pick<ConversationReader, 'find'>;
  readonly suites: () => readonly SuiteOutline[];
}

/** The latest ones: some milliseconds' worth. */
const LOOKED_AT_MAX = 2000;
const LIMITS = { labels: 2000, verdicts: 4000 };

interface Candidate {
  readonly evaluation: ScannedEvaluation;
  readonly verdict: VerdictKind;
  /** Share of the suite's weight. */
  readonly decided: number;
}

/** What people said last of one subject, by person. */
type Said = ReadonlyMap<string, LabelKind>;
const NOTHING_SAID: Said = new Map();

export const getReviewQueue = reading(reviewQueueQuery, async (side: QueueSide, asked) => {
  const { suite: name, criterion, by, because, agent, since, limit } = asked;
  const suite = side.suites().find((one) => one.name === name);
  const place = suite?.criteria.findIndex((one) => one.name === criterion) ?? -1;
  if (suite === undefined || place < 0) return jsonAnswer(400, { error: unknownCriterion(asked, side.suites()) });
  const { labels, verdicts } = await side.reader.labelled(LIMITS, { suite: name, criterion });
  const said = saidBySubject(labels);
  if (because === 'disagreed') {
    const items = await disagreedItems(side.reader, { said, verdicts, agent, since, limit });
    const answer = { suite: name, criterion, items, looked_at: verdicts.length, labelled: labels.length };
    return jsonAnswer(200, answer satisfies ReviewQueue);
  }
  const { candidates, lookedAt } = await candidatesOf(side.reader, { suite, place, agent, since });
  const found: ReviewQueue['items'][number][] = [];
  let labelled = 0;
  for (const candidate of chosen(candidates, because, criterion)) {
    if (found.length === limit) break;
    const conversation = await side.reader.conversationOf(candidate.evaluation);
    if (conversation === undefined) continue;
    const { turnId } = candidate.evaluation;
    const people = said.get(subjectKey(conversation.conversationId, turnId)) ?? NOTHING_SAID;
    if (by !== undefined && people.has(by)) labelled += 1;
    else found.push(itemOf(conversation, turnId, people.size));
  }
  return jsonAnswer(200, { suite: name, criterion, items: found, looked_at: lookedAt, labelled } satisfies ReviewQueue);
});

/** From what is noted beside labels; the latest labels first. */
async function disagreedItems(
  reader: Pick<ConversationReader, 'find'>,
  asked: {
    readonly said: ReadonlyMap<string, Said>;
    readonly verdicts: readonly LabelledVerdict[];
    readonly agent: string | undefined;
    readonly since: number | undefined;
    readonly limit: number;
  },
): Promise<ReviewQueue['items']> {
  const { said, verdicts, agent, since = 0, limit } = asked;
  const last = new Map<string, LabelledVerdict>();
  // Those of one revision say the same; a later one replaces an earlier one.
  for (const verdict of verdicts.toSorted((a, b) => a.notedAt - b.notedAt || a.revision - b.revision))
    last.set(subjectKey(verdict.conversationId, verdict.turnId ?? ''), verdict);
  const items: ReviewQueue['items'][number][] = [];
  for (const [key, people] of [...said].toReversed()) {
    if (items.length === limit) break;
    const verdict = last.get(key);
    if (verdict === undefined || !isAgainst(people, verdict.verdict)) continue;
    const row = await reader.find(verdict.conversationId);
    if (row === undefined || row.updatedAt < since || (agent !== undefined && row.agent !== agent)) continue;
    items.push(itemOf(row, verdict.turnId ?? '', people.size));
  }
  return items;
}

function unknownCriterion(
  { suite, criterion }: { readonly suite: string; readonly criterion: string },
  suites: readonly SuiteOutline[],
): string {
  const known = suites.find(({ name }) => name === suite);
  const names = (known === undefined ? suites : known.criteria).map(({ name }) => name).join(', ');
  return known === undefined
    ? `suite: no suite ${JSON.stringify(suite)} runs here; there are ${names}`
    : `criterion: suite ${suite} has no criterion ${JSON.stringify(criterion)}; it has ${names}`;
}

async function candidatesOf(
  reader: EvaluationScanner,
  asked: {
    readonly suite: SuiteOutline;
    readonly place: number;
    readonly agent?: string | undefined;
    readonly since?: number | undefined;
  },
): Promise<{ readonly candidates: readonly Candidate[]; readonly lookedAt: number }> {
  const { suite, place, agent, since } = asked;
  const candidates: Candidate[] = [];
  let lookedAt = 0;
  const query = { suiteKey: suite.name, agent, since, limit: LOOKED_AT_MAX, lookedAtMax: LOOKED_AT_MAX };
  for await (const page of reader.scanEvaluations(query)) {
    for (const evaluation of page) {
      // In another version the criteria stand in other places.
      if (evaluation.basis === undefined || evaluation.suiteVersion !== suite.version) continue;
      lookedAt += 1;
      const { verdicts } = decodeBasis(evaluation.basis);
      const verdict = verdicts[place]?.verdict;
      if (verdict === undefined) continue;
      const decided = suite.criteria.reduce(
        (sum, { weight }, index) =>
          decisionOf(verdicts[index]?.verdict ?? 'skipped') === undefined ? sum : sum + weight,
        0,
      );
      candidates.push({ evaluation, verdict, decided: decided / suite.totalWeight });
    }
  }
  return { candidates, lookedAt };
}

function chosen(
  candidates: readonly Candidate[],
  because: 'random' | 'unsure' | 'little_decided',
  criterion: string,
): readonly Candidate[] {
  const latestFirst = (a: Candidate, b: Candidate) => b.evaluation.row - a.evaluation.row;
  switch (because) {
    case 'random':
      return candidates
        .filter(({ verdict }) => decisionOf(verdict) !== undefined)
        .map((candidate) => ({ candidate, lot: lotOf(candidate, criterion) }))
        .toSorted((a, b) => (a.lot < b.lot ? -1 : 1))
        .map(({ candidate }) => candidate);
    case 'unsure':
      return candidates.filter(({ verdict }) => verdict === 'error').toSorted(latestFirst);
    case 'little_decided':
      return candidates.toSorted((a, b) => a.decided - b.decided || latestFirst(a, b));
  }
}

/** The same at each asking, and another one for each criterion. */
function lotOf({ evaluation: { conversation, turnId } }: Candidate, criterion: string): string {
  return createHash('sha256')
    .update(JSON.stringify([criterion, conversation, turnId]))
    .digest('hex');
}

function saidBySubject(labels: readonly HumanLabel[]): ReadonlyMap<string, Said> {
  const subjects = new Map<string, Map<string, LabelKind>>();
  for (const { conversationId, turnId, by, label } of labels) {
    const key = subjectKey(conversationId, turnId ?? '');
    subjects.set(key, (subjects.get(key) ?? new Map<string, LabelKind>()).set(by, label));
  }
  return subjects;
}

function subjectKey(conversationId: string, turnId: string): string {
  return JSON.stringify([conversationId, turnId]);
}

/** More people say otherwise than say the same. */
function isAgainst(people: Said, verdict: VerdictKind): boolean {
  const same = [...people.values()].filter((label) => label === verdict).length;
  return people.size - same > same;
}

function itemOf(row: ConversationRow, turnId: string, people: number): ReviewQueue['items'][number] {
  return {
    conversation_id: row.conversationId,
    ...(turnId === '' ? {} : { turn_id: turnId }),
    agent: row.agent,
    agent_version: row.agentVersion,
    ...(row.glance.asked === undefined ? {} : { asked: row.glance.asked }),
    updated_at: new Date(row.updatedAt).toISOString(),
    people,
  };
}
