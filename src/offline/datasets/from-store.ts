/**
 * Recorded conversations as the cases of a dataset: what their users said, what is known to be right, and where they come from. Texts are as they are
 * stored, with what was redacted left out. A conversation whose requests were not recorded whole can't be run again; it is left out, and counted.
 *
 * The store is read a page at a time, latest first, while it is written. The same conversations give the same cases.
 */
import { createHash } from 'node:crypto';
import { buildConversation } from '../../assemble/build-conversation.ts';
import type { CaseOrigin } from '../../model/dataset.ts';
import type { Evaluation, Outcome } from '../../model/evaluation.ts';
import type { Json } from '../../model/json.ts';
import { bySeverity } from '../../model/severity.ts';
import type { Content } from '../../model/step.ts';
import type { Turn } from '../../model/turn.ts';
import { type IdKeys, idKeysOf } from '../../normalize/id-keys.ts';
import { intactContent } from '../../store/intact-content.ts';
import type { ConversationQuery, ConversationReader } from '../../store/conversation-reader.ts';
import type { ConversationRow } from '../../store/conversation-row.ts';
import { Truths, type WrittenTruth } from '../../engine/truths.ts';
import { turnsOfTrace } from '../../engine/turns-of-trace.ts';

export interface Selection {
  /** Only conversations with one of these outcomes; undefined if any will do. */
  readonly outcomes: readonly Outcome[] | undefined;
  /** The suite that said so. */
  readonly suite: string | undefined;
  readonly agent: string | undefined;
  readonly agentVersion: string | undefined;
  /** Wall-clock time in milliseconds. */
  readonly since: number | undefined;
  readonly limit: number;
}

export interface RecordedCase {
  readonly id: string;
  readonly turns: readonly Json[];
  readonly truth: Json | undefined;
  readonly from: CaseOrigin;
}

export const LEFT_OUT = ['not_recorded', 'truncated', 'redacted', 'not_kept'] as const;
/** `not_recorded`, `truncated` and `redacted` are what a user said, or a part of it; `not_kept` are the spans. */
export type LeftOut = (typeof LEFT_OUT)[number];

interface CasesFromStore {
  readonly reader: ConversationReader;
  /** Contents of the files. */
  readonly written: WrittenTruth | undefined;
  readonly conversationKeys: readonly string[];
  readonly selection: Selection;
  readonly onLeftOut: (because: LeftOut) => void;
}

const PAGE = 200;

export async function* casesFromStore(parts: CasesFromStore): AsyncGenerator<RecordedCase> {
  const { reader, selection, onLeftOut } = parts;
  const idKeys = idKeysOf(parts.conversationKeys);
  let found = 0;
  for await (const row of selectedRows(reader, selection)) {
    if (found >= selection.limit) return;
    const evaluations = await reader.evaluations(row, { revisions: 'last' });
    if (!isSelected(evaluations, selection)) continue;
    const read = await caseOf(row, evaluations, { ...parts, idKeys });
    if (typeof read === 'string') onLeftOut(read);
    else {
      found += 1;
      yield read;
    }
  }
}

/** Latest first, each once, though several outcomes are asked for one at a time. */
async function* selectedRows(reader: ConversationReader, selection: Selection): AsyncGenerator<ConversationRow> {
  const { suite, agent, agentVersion, since } = selection;
  const heads: { readonly rows: AsyncGenerator<ConversationRow>; next: ConversationRow | undefined }[] = [];
  for (const outcome of selection.outcomes ?? [undefined]) {
    const rows = rowsOf(reader, { suite, agent, agentVersion, since, outcome, limit: PAGE });
    heads.push({ rows, next: await nextOf(rows) });
  }
  for (;;) {
    const latest = heads.reduce<ConversationRow | undefined>(
      (best, { next }) => (next !== undefined && next.row > (best?.row ?? -1) ? next : best),
      undefined,
    );
    if (latest === undefined) return;
    yield latest;
    for (const head of heads) if (head.next?.row === latest.row) head.next = await nextOf(head.rows);
  }
}

async function nextOf(rows: AsyncGenerator<ConversationRow>): Promise<ConversationRow | undefined> {
  const { value, done } = await rows.next();
  return done === true ? undefined : value;
}

async function* rowsOf(reader: ConversationReader, query: ConversationQuery): AsyncGenerator<ConversationRow> {
  for (let before: number | undefined; ; ) {
    const page = await reader.listPage({ ...query, before });
    yield* page.rows;
    if (page.next === undefined) return;
    before = page.next;
  }
}

/** The store asks for the outcome and for the suite each by itself. */
function isSelected(evaluations: readonly Evaluation[], { outcomes, suite }: Selection): boolean {
  if (outcomes === undefined && suite === undefined) return true;
  return evaluations.some(
    (evaluation) =>
      (suite === undefined || evaluation.suite === suite) &&
      (outcomes === undefined || outcomes.includes(evaluation.outcome)),
  );
}

async function caseOf(
  row: ConversationRow,
  evaluations: readonly Evaluation[],
  { reader, written, idKeys }: CasesFromStore & { readonly idKeys: IdKeys | undefined },
): Promise<RecordedCase | LeftOut> {
  const turns: Turn[] = [];
  for (const trace of await reader.traces(row)) {
    const content = await intactContent(reader, trace);
    if (content === undefined || content === 'damaged') return 'not_kept';
    turns.push(...turnsOfTrace(content, idKeys));
  }
  if (turns.length === 0) return 'not_kept';
  const put = await reader.truthOf(row);
  const conversation = new Truths({ find: () => put }, written).addTo(buildConversation(row.conversationId, turns));
  const said = conversation.turns.map(({ userInput }) => saidIn(userInput));
  const problem = said.find((one) => typeof one === 'string');
  if (problem !== undefined) return problem;
  return {
    id: caseIdOf(row.conversationId),
    turns: said.flatMap((one) => (typeof one === 'string' ? [] : [one.said])),
    truth: conversation.truth,
    from: {
      conversation: row.conversationId.toWellFormed(),
      agent: row.agent,
      agentVersion: row.agentVersion,
      recordedAt: new Date(conversation.startedAtMs).toISOString(),
      outcomes: worstBySuite(evaluations),
    },
  };
}

function saidIn({ state, text, json }: Content): { readonly said: Json } | LeftOut {
  switch (state) {
    case 'missing':
      return 'not_recorded';
    case 'truncated':
    case 'redacted':
      return state;
    case 'whole':
      if (text === '') return 'not_recorded';
      // A user who says 42 says it in words; what has members was JSON.
      return { said: typeof json === 'object' && json !== null ? json : text.toWellFormed() };
  }
}

const PLAIN_ID = /^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,99}$/;
const MADE_ID = /^recorded-[0-9a-f]{16}$/;

/** The conversation's own, unless it would be unwieldy. */
function caseIdOf(conversation: string): string {
  if (PLAIN_ID.test(conversation) && !MADE_ID.test(conversation)) return conversation;
  return `recorded-${createHash('sha256').update(conversation).digest('hex').slice(0, 16)}`;
}

/** For a suite that scores turns, the worst turn. */
function worstBySuite(evaluations: readonly Evaluation[]): Readonly<Record<string, string>> {
  const worst = new Map<string, Outcome>();
  for (const { suite, outcome, waitsFor } of evaluations) {
    const known = worst.get(suite);
    if (waitsFor === undefined && (known === undefined || bySeverity(outcome, known) > 0)) worst.set(suite, outcome);
  }
  return Object.fromEntries([...worst].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A line of a dataset. */
export function caseLine({ id, turns, truth, from }: RecordedCase): string {
  const [only] = turns;
  return JSON.stringify({
    id,
    ...(turns.length === 1 ? { input: only } : { turns }),
    ...(truth !== undefined && { truth }),
    from: {
      conversation: from.conversation,
      agent: from.agent,
      agent_version: from.agentVersion,
      recorded_at: from.recordedAt,
      outcomes: from.outcomes,
    },
  });
}
