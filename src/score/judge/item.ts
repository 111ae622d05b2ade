/** A thing that a judge is shown, and what of it: keys and the words of `item` are ours, texts in fields are untrusted. */
import type { SpanId } from '../../model/ids.ts';
import type { Content, Step } from '../../model/step.ts';

export interface Item {
  readonly item:
    | 'instructions'
    | 'request'
    | 'answer'
    | 'state'
    | 'truth'
    | 'golden'
    | 'golden_step'
    | 'first'
    | 'second'
    | Step['kind'];
  /** Number of the turn, from 1; undefined for items of no turn. */
  readonly turn: number | undefined;
  readonly fields: readonly Field[];
  /**
   * Priorities for cutting. Kept longest: the agent's instructions, by which all the rest is judged. Next come the last
   * turn's request and answer and the items outside the turns (`kept`); then what went wrong and the requests and
   * answers of earlier turns (`telling`), before all other steps.
   */
  readonly rank: 'instructions' | 'kept' | 'telling' | 'step';
  /** Span that is shown to a person who wants to see the item. */
  readonly spanId: SpanId | undefined;
}

export interface Field {
  readonly key: string;
  /** Undefined where `note` alone says what is known. */
  readonly text: string | undefined;
  /** Note of ours about a text that is missing or cut. */
  readonly note?: string;
}

export const NOTES = {
  truncated: 'cut off when it was recorded',
  redacted: 'redacted',
  missing: 'not recorded',
} as const;

export function fieldOf(key: string, { state, text }: Content): Field {
  if (state === 'whole') return { key, text };
  return { key, text: text === '' ? undefined : text, note: NOTES[state] };
}
