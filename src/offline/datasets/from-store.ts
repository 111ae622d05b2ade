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
import { type ConversationReader, searchFor } from '../../store/conversation-reader.ts';
import type { ConversationRow } from '../../store/conversation-row.ts';
import type { SearchCursor } from '../../store/conversation-search.ts';
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
  /** When the conversation began, in milliseconds. */
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
    const read = await caseOf(row, evaluations, { ...parts, idKeys });
    if (typeof read === 'string') onLeftOut(read);
    else {
      found += 1;
      yield read;
    }
  }
}

export async function* selectedRows(reader: ConversationReader, selection: Selection): AsyncGenerator<ConversationRow> {
  const { outcomes, suite, agent, agentVersion, since } = selection;
  const search = { ...searchFor({ suite, agent, agentVersion, since, limit: PAGE }), outcomes };
  for (let cursor: SearchCursor | undefined; ; ) {
    const page = await reader.pages.search({ ...search, cursor });
    yield* page.rows;
    if (page.next === undefined) return;
    cursor = page.next;
  }
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
