/**
 * `GET /api/v1/review/queue`: conversations for people to label, from the latest evaluations of a suite. A random sample
 * is the same for everybody, so that two people meet in the same conversations and their agreement can be measured. It
 * does not change as new conversations come, except that these join it.
 */
import { hash } from 'node:crypto';
import type { SuiteOutline } from '../../../engine/suite-outline.ts';
import { decisionOf, isBroken } from '../../../model/decision.ts';
import type { Outcome, VerdictKind } from '../../../model/evaluation.ts';
import type { Polarity } from '../../../model/feedback.ts';
import { isGood, isInSuccessRate } from '../../../model/severity.ts';
import type { HumanLabel, LabelKind, LabelledVerdict } from '../../../model/labels.ts';
import { type ReviewQueue, type ReviewReason, reviewQueue, reviewQueueQuery } from '../../../api/review.ts';
import { jsonAnswer } from '../../../report/http/answer.ts';
import { decodeBasis } from '../../../store/basis-codec.ts';
import type { ConversationRow } from '../../../store/conversation-row.ts';
import { isBefore, placeOf, type SearchCursor } from '../../../store/conversation-search.ts';
import { isoTime } from './iso-time.ts';
import { Refusal, v1Read } from './v1-read.ts';
import type { V1Side } from './v1-side.ts';

/** Conversations, the latest ones: some milliseconds' worth. */
const CONVERSATIONS_MAX = 2000;
const PAGE = 500;
const SAID: readonly Polarity[] = ['positive', 'negative'];
const LIMITS = { labels: 2000, verdicts: 4000 };

interface Candidate {
  readonly row: ConversationRow;
  /** Empty for the conversation as a whole. */
  readonly turnId: string;
  readonly verdict: VerdictKind;
  /** Share of the suite's weight. */
  readonly decided: number;
  /** Outcome that the suite gave. */
  readonly outcome: Outcome;
}

/** The last label of each person for one subject. */
type Said = ReadonlyMap<string, LabelKind>;
const NOTHING_SAID: Said = new Map();

type QueueReader = V1Side['reader'];

export const getReviewQueue = v1Read({
  path: '/api/v1/review/queue',
  summary: `?suite= &criterion= &by= (leaves out what this person has labelled)
&because=random|balanced|disagreed|unsure|little_decided|feedback &agent= &since= &limit=
conversations for people to label, without the verdicts`,
  query: reviewQueueQuery,
  answer: reviewQueue,
  read: async ({ reader, suites }: Pick<V1Side, 'reader' | 'suites'>, asked) => {
    const { suite: name, criterion, by, because, agent, since, limit } = asked;
    const suite = suites().find((one) => one.name === name);
    const place = suite?.criteria.findIndex((one) => one.name === criterion) ?? -1;
    if (suite === undefined || place < 0)
      return new Refusal(jsonAnswer(400, { error: unknownCriterion(asked, suites()) }));
    const { labels, verdicts } = await reader.labelled(LIMITS, { suite: name, criterion });
    const said = saidBySubject(labels);
    if (because === 'disagreed') {
      const items = await disagreedItems(reader, { said, verdicts, agent, since, limit });
      return { suite: name, criterion, items, looked_at: verdicts.length, labelled: labels.length };
    }
    const feedback = because === 'feedback' ? SAID : undefined;
    const { candidates, lookedAt } = await candidatesOf(reader, { suite, place, agent, since, feedback });
    const peopleOf = ({ row, turnId }: Candidate) => said.get(subjectKey(row.conversationId, turnId)) ?? NOTHING_SAID;
    const all = chosen(candidates, because, criterion);
    const left = by === undefined ? all : all.filter((one) => !peopleOf(one).has(by));
    return {
      suite: name,
      criterion,
      items: left.slice(0, limit).map((one) => itemOf(one.row, one.turnId, peopleOf(one).size)),
      looked_at: lookedAt,
      labelled: all.length - left.length,
    };
  },
});

/** From what is noted beside labels; the latest labels first. */
async function disagreedItems(
  reader: QueueReader,
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
  // A later revision replaces an earlier one.
  for (const verdict of verdicts.toSorted((a, b) => a.notedAt - b.notedAt || a.revision - b.revision))
    last.set(subjectKey(verdict.conversationId, verdict.turnId ?? ''), verdict);
  const items: ReviewQueue['items'][number][] = [];
  for (const [key, people] of [...said].toReversed()) {
    if (items.length === limit) break;
    const verdict = last.get(key);
    if (verdict === undefined || !isAgainst(people, verdict.verdict)) continue;
    const row = await reader.find(verdict.conversationId);
    if (row === undefined || placeOf(row).at < since || (agent !== undefined && row.agent !== agent)) continue;
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
  reader: QueueReader,
  asked: {
    readonly suite: SuiteOutline;
    readonly place: number;
    readonly agent: string | undefined;
    readonly since: number | undefined;
    readonly feedback: readonly Polarity[] | undefined;
  },
): Promise<{ readonly candidates: readonly Candidate[]; readonly lookedAt: number }> {
  const { suite, place, agent, since, feedback } = asked;
  const filters = { suites: [suite.name], agents: agent === undefined ? undefined : [agent], since, feedback };
  const candidates: Candidate[] = [];
  let lookedAt = 0;
  let cursor: SearchCursor | undefined;
  for (let conversations = 0; conversations < CONVERSATIONS_MAX; ) {
    const { rows, next } = await reader.pages.search({ ...filters, order: 'latest', limit: PAGE, cursor });
    const rowOf = new Map(rows.map((row) => [row.row, row]));
    for (const scanned of await reader.pages.lastScanned(rows, suite.name)) {
      const row = rowOf.get(scanned.conversation);
      // In another version the criteria stand in other places.
      if (row === undefined || scanned.basis === undefined || scanned.suiteVersion !== suite.version) continue;
      lookedAt += 1;
      const { verdicts } = decodeBasis(scanned.basis);
      const verdict = verdicts[place]?.verdict;
      if (verdict === undefined) continue;
      const weight = suite.criteria.reduce(
        (sum, one, index) => (decisionOf(verdicts[index]?.verdict ?? 'skipped') === undefined ? sum : sum + one.weight),
        0,
      );
      const decided = weight / suite.totalWeight;
      candidates.push({ row, turnId: scanned.turnId, verdict, decided, outcome: scanned.outcome });
    }
    conversations += rows.length;
    cursor = next;
    if (cursor === undefined) break;
  }
  return { candidates, lookedAt };
}

function chosen(
  candidates: readonly Candidate[],
  because: Exclude<ReviewReason, 'disagreed'>,
  criterion: string,
): readonly Candidate[] {
  const latestFirst = (a: Candidate, b: Candidate) => (isBefore(placeOf(a.row), placeOf(b.row)) ? 1 : -1);
  switch (because) {
    case 'random':
      return byLot(candidates, criterion).map(({ candidate }) => candidate);
    case 'balanced':
      return balanced(byLot(candidates, criterion));
    case 'unsure':
      return candidates.filter(({ verdict }) => isBroken(verdict)).toSorted(latestFirst);
    case 'feedback':
      return candidates.filter(contradictsUsers).toSorted(latestFirst);
    case 'little_decided':
      return candidates.toSorted((a, b) => a.decided - b.decided || latestFirst(a, b));
  }
}

function contradictsUsers({ row, outcome }: Candidate): boolean {
  if (!isInSuccessRate(outcome)) return false;
  return row.feedback === (isGood(outcome) ? 'negative' : 'positive');
}

interface Drawn {
  readonly candidate: Candidate;
  readonly lot: string;
}

function byLot(candidates: readonly Candidate[], criterion: string): readonly Drawn[] {
  return candidates
    .filter(({ verdict }) => decisionOf(verdict) !== undefined)
    .map((candidate) => ({ candidate, lot: lotOf(candidate, criterion) }))
    .toSorted((a, b) => (a.lot < b.lot ? -1 : 1));
}

/** In pairs of one that passed and one that failed, of which either comes first by lot. */
function balanced(drawn: readonly Drawn[]): readonly Candidate[] {
  const [passed, failed] = (['pass', 'fail'] as const).map((decision) =>
    drawn.filter(({ candidate }) => decisionOf(candidate.verdict) === decision),
  );
  const longest = Math.max(passed?.length ?? 0, failed?.length ?? 0);
  return Array.from({ length: longest }, (_, at) =>
    [passed?.[at], failed?.[at]]
      .filter((one) => one !== undefined)
      .toSorted((a, b) => (a.lot < b.lot ? -1 : 1))
      .map(({ candidate }) => candidate),
  ).flat();
}

/** Lot of a candidate, stable over requests and different for each criterion. */
function lotOf({ row, turnId }: Candidate, criterion: string): string {
  return hash('sha256', JSON.stringify([criterion, row.row, turnId]));
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
    began_at: isoTime(placeOf(row).at),
    people,
  };
}
