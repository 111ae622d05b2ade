/** A closed turn on its way to the engine: its bytes, its log time, why it closed. The same from every log. */
import type { CloseCause } from '../model/causes.ts';
import type { ClosedTurn } from '../assemble/open-turns.ts';
import type { NamedConversation } from '../assemble/open/named-conversations.ts';
import { contentOfRows, GroupCache } from '../assemble/trace-content.ts';
import { conversationHash } from '../model/conversation-id.ts';
import type { ConversationId } from '../model/ids.ts';
import type { Turn } from '../model/turn.ts';
import type { TraceContent } from '../store/engine-store.ts';

/** A closed turn without its bytes. */
export interface ClosedInLog {
  readonly traceId: ClosedTurn['traceId'];
  readonly cause: CloseCause;
  readonly closedAt: number;
  /** Position behind it in a log of positions, which is stored with the trace for that log to read; 0 in other logs. */
  readonly position: number;
  /** Spans and log records that it consists of, to be counted. */
  readonly rows: number;
  /** Sender of its first row; undefined where the log does not say (`model/sender.ts`). */
  readonly sender?: number | undefined;
  /** Conversations of which other turns are open at its close, with the time at which the first of these named it. */
  readonly openBeside: readonly NamedConversation[];
}

/** A closed turn, or what came of it after its close. */
export interface Arrival extends ClosedInLog {
  /** The conversations that its spans name in an attribute; for logs that keep that. */
  readonly named?: readonly NamedConversation[];
  /** Distinct spans. */
  readonly spans: number;
  readonly content: TraceContent;
  /** Turns of the content, if it was understood before by the same rules. */
  readonly turns?: readonly Turn[] | undefined;
}

/** Reads the bytes of closed turns from where their log has them. */
export class ArrivalReader {
  readonly #read: (position: number, length: number) => Uint8Array;
  readonly #groups = new GroupCache();

  constructor(read: (position: number, length: number) => Uint8Array) {
    this.#read = read;
  }

  /** Throws if the log has lost the bytes. */
  arrivalOf(turn: ClosedTurn): Arrival {
    const { rows, spansAreDistinct, named } = turn;
    const taken = contentOfRows({ rows, read: this.#read, groups: this.#groups, spansAreDistinct });
    return { ...closedInLog(turn), named, ...taken };
  }
}

export function closedInLog({ rows, ...turn }: ClosedTurn): ClosedInLog {
  const { traceId, cause, closedAt, position, openBeside } = turn;
  return { traceId, cause, closedAt, position, rows: rows.length, sender: rows[0]?.group.sender, openBeside };
}

/** Since when another turn has been open at the close of this one, and has named the conversation; undefined where none has. */
export function openSinceIn({ openBeside }: ClosedInLog, id: ConversationId): number | undefined {
  if (openBeside.length === 0) return undefined;
  const hash = conversationHash(id);
  return openBeside.find(({ conversation }) => conversation === hash)?.at;
}
