/**
 * Steps of forgetting that need the store, as the thread that has it is asked for them. Each may be done again.
 */
import type { ConversationId, TraceId } from '../../model/ids.ts';
import type { SaidCounts } from '../../store/said-counts.ts';
import type { Forgetting } from '../../store/sqlite/forgotten-rows.ts';

export type ForgetStep =
  /** Which conversations are stored, of the one that is named or of the user. */
  | { readonly do: 'find'; readonly conversation: ConversationId | undefined; readonly users: readonly string[] }
  | ({ readonly do: 'drop' } & Forgetting)
  /** Traces whose bytes the journal has to lose. */
  | { readonly do: 'list-wipes' }
  /** The journal has lost them. */
  | { readonly do: 'end-wipes'; readonly traces: readonly TraceId[] }
  /** Removes from the files what is deleted. */
  | { readonly do: 'settle' };

export interface ForgetAnswer {
  readonly conversations?: readonly ConversationId[];
  readonly dropped?: { readonly conversations: number; readonly traces: number; readonly said: SaidCounts };
  /** Counts for the conversations that were found, and for the one that was named. */
  readonly said?: SaidCounts;
  readonly traces?: readonly TraceId[];
  /** False where it is to be done again. */
  readonly isSettled?: boolean;
  /** Number of conversations and users that the archive still has to lose. */
  readonly inArchive?: number;
}

/** Does the steps: a thread, or the command itself where no service runs. */
export interface StepTaker {
  take(step: ForgetStep): Promise<ForgetAnswer>;
}
