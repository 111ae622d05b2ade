/** Sends what a person says of a verdict. Null takes it back. */
import type { LabelKind } from '../../model/labels.ts';
import { ask, type Reply } from '../api/ask.ts';

interface SaidOfVerdict {
  readonly conversation: string;
  readonly suite: string;
  readonly criterion: string;
  /** Undefined where the suite is for conversations. */
  readonly turn: string | undefined;
  readonly label: LabelKind | null;
  readonly by: string;
  readonly note: string;
  /** The verdict was in sight. */
  readonly seen: boolean;
}

export function putLabel(said: SaidOfVerdict): Promise<Reply<unknown>> {
  const { conversation, suite, criterion, turn, label, by, note, seen } = said;
  return ask<unknown>(`/v1/labels/${encodeURIComponent(conversation)}`, {
    method: 'PUT',
    body: {
      ...{ suite, criterion, label, by },
      ...(turn === undefined ? {} : { turn_id: turn }),
      ...(note === '' || label === null ? {} : { note }),
      ...(seen ? { seen } : {}),
    },
  });
}
