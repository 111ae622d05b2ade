/**
 * Recorded conversations as the cases of a dataset: what their users said, what is known to be right, and where they come from. Texts are as they are
 * stored, with what was redacted left out. A conversation whose requests were not recorded whole can't be run again; it is left out, and counted.
 *
 * The store is read a page at a time, latest first, while it is written. The same conversations give the same cases.
 */
import { buildConversation } from '../../assemble/build-conversation.ts';
import type { Evaluation, Outcome } from '../../model/evaluation.ts';
import type { Turn } from '../../model/turn.ts';
import { type IdKeys, idKeysOf } from '../../normalize/id-keys.ts';
import { intactContent } from '../../store/intact-content.ts';
import type { ConversationQuery, ConversationReader } from '../../store/conversation-reader.ts';
import type { ConversationRow } from '../../store/conversation-row.ts';
import { type LeftOut, type RecordedCase, recordedCase } from '../../engine/recorded-case.ts';
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
  return recordedCase(conversation, row, evaluations);
}
