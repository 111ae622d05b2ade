/**
 * The heads of one transaction, as they were loaded: the table behind `HeldConversations`, which writes to the database
 * nothing by itself. A head with filed turns is invisible to the engine before a turn joins it. It has its number from
 * the start, in the order in which a store with one log would have created the rows.
 */
import type { DueCause } from '../../model/causes.ts';
import type { ConversationId, TraceId } from '../../model/ids.ts';
import type { ConversationHead } from '../conversation-columns.ts';
import type { StoredConversation } from '../engine-store.ts';
import { type ConversationTable, type Due, isDueBefore } from '../held-conversations.ts';
import type { LoadedHead } from './loaded.ts';

/** Causes of conversations that became due by saying nothing for a while. */
const IS_IDLE = {
  idle: true,
  end_marker: false,
  single_trace: false,
  max_age: false,
  max_turns: false,
  unknown: false,
} satisfies Record<DueCause, boolean>;

interface HeadRow extends ConversationHead {
  readonly row: number;
}

interface WorkingHead {
  readonly row: number;
  readonly conversationId: ConversationId;
  /** Undefined for one that nobody filed anything for: it has to be made and loaded first. */
  readonly loaded: LoadedHead | undefined;
  /** As it was loaded or written last; undefined where neither has happened. */
  conversation: HeadRow | undefined;
  firstTrace: TraceId | undefined;
  isChanged: boolean;
  /** See `LoadedHead`; what moves in from one that was not loaded whole leaves it so. */
  isWhole: boolean;
}

interface Stray {
  readonly conversationId: ConversationId;
  /** The trace that led there. */
  readonly traceId: TraceId;
}

export class WorkingHeads implements ConversationTable {
  readonly #byRow = new Map<number, WorkingHead>();
  readonly #byId = new Map<ConversationId, WorkingHead>();
  readonly #rowByHead = new Map<number, number>();
  readonly #nextRow: () => number;
  readonly #missing = new Set<number>();
  #strays: Stray[] = [];
  /** Conversations that are due as they were loaded or written last, in order. */
  #due: readonly Due[] | undefined;
  #idleMsMin = Number.POSITIVE_INFINITY;

  constructor(nextRow: () => number) {
    this.#nextRow = nextRow;
  }

  load(loaded: LoadedHead): void {
    const { firstTrace, isWhole } = loaded;
    const row = this.#nextRow();
    this.#rowByHead.set(loaded.id, row);
    const conversation = { ...loaded.conversation, row };
    this.#add({ row, conversationId: conversation.id, loaded, conversation, firstTrace, isChanged: false, isWhole });
  }

  clear(): void {
    this.#byRow.clear();
    this.#byId.clear();
    this.#rowByHead.clear();
    this.#missing.clear();
    this.#strays = [];
    this.#due = undefined;
  }

  find(id: ConversationId): StoredConversation | undefined {
    return thereIn(this.#byId.get(id));
  }

  at(row: number): StoredConversation | undefined {
    return thereIn(this.#byRow.get(row));
  }

  dueAfter(last: Due | undefined): readonly Due[] {
    this.#due ??= [...this.#byRow.values()]
      .flatMap((head) => thereIn(head) ?? [])
      .flatMap(({ row, dueAt }) => (dueAt === undefined ? [] : { row, dueAt }))
      .sort((a, b) => (isDueBefore(a, b) ? -1 : 1));
    return last === undefined ? this.#due : this.#due.filter((one) => isDueBefore(last, one));
  }

  newRow(conversationId: ConversationId): number {
    const reserved = this.#byId.get(conversationId);
    if (reserved !== undefined) {
      reserved.firstTrace = undefined;
      return reserved.row;
    }
    const row = this.#nextRow();
    const unknown = { loaded: undefined, conversation: undefined, firstTrace: undefined };
    this.#add({ row, conversationId, ...unknown, isChanged: false, isWhole: true });
    return row;
  }

  write(conversation: HeadRow): void {
    const head = this.head(conversation.row);
    head.conversation = conversation;
    head.isChanged = true;
    this.#due = undefined;
    const { dueAt, dueCause } = conversation;
    if (dueAt !== undefined && dueCause !== undefined && IS_IDLE[dueCause])
      this.#idleMsMin = Math.min(this.#idleMsMin, dueAt - conversation.lastClosedAt);
  }

  /** The row itself stays: lanes may be filing turns for it. */
  remove(conversation: StoredConversation): void {
    this.write({ ...conversation, firstClosedAt: undefined });
    this.head(conversation.row).firstTrace = undefined;
  }

  /** The shortest time after which a conversation was said to be idle; 0 while none was. */
  get idleMs(): number {
    return Number.isFinite(this.#idleMsMin) ? this.#idleMsMin : 0;
  }

  /** Conversations, as the database names them, that have to be loaded whole. */
  get missing(): readonly number[] {
    return [...this.#missing];
  }

  get strays(): readonly Stray[] {
    return this.#strays;
  }

  /** Whether the engine has it. */
  isThere(row: number): boolean {
    return this.at(row) !== undefined;
  }

  changed(): readonly WorkingHead[] {
    return [...this.#byRow.values()].filter(({ isChanged }) => isChanged);
  }

  /** The requested data exist only if the conversation was loaded whole. */
  needWhole(row: number): void {
    if (!this.head(row).isWhole) this.miss(row);
  }

  /** Something of it was asked for that was not loaded. */
  miss(row: number): void {
    const { loaded } = this.head(row);
    if (loaded !== undefined) this.#missing.add(loaded.id);
  }

  /** A trace of it was stored. */
  noteTrace(row: number, traceId: TraceId): void {
    const head = this.head(row);
    head.firstTrace ??= traceId;
    if (head.loaded === undefined) this.#strays.push({ conversationId: head.conversationId, traceId });
  }

  /** The row of what was loaded as this. */
  rowOf(head: number): number {
    const row = this.#rowByHead.get(head);
    if (row === undefined) throw new Error(`store: conversation ${head} is not in the working set`);
    return row;
  }

  head(row: number): WorkingHead {
    const head = this.#byRow.get(row);
    if (head === undefined) throw new Error(`store: no conversation of the working set has row ${row}`);
    return head;
  }

  /** As the database names it. */
  idOf(row: number): number {
    const { loaded, conversationId } = this.head(row);
    if (loaded === undefined) throw new Error(`store: conversation ${conversationId} was made without being filed`);
    return loaded.id;
  }

  #add(head: WorkingHead): void {
    this.#byRow.set(head.row, head);
    this.#byId.set(head.conversationId, head);
  }
}

function thereIn(head: WorkingHead | undefined): StoredConversation | undefined {
  const conversation = head?.conversation;
  return conversation !== undefined && isThere(conversation) ? conversation : undefined;
}

/** Whether the engine has taken a turn of it. */
function isThere(head: HeadRow): head is StoredConversation {
  return head.firstClosedAt !== undefined;
}
