/** Conversations in a few lines, for inserting faults. */
import type { Excerpt, ExcerptCall, ExcerptTurn } from '../../src/model/excerpt.ts';
import type { Json } from '../../src/model/json.ts';

export function aCall(tool: string, args: Json, result: Json | undefined, error?: string): ExcerptCall {
  return { tool, args, result, error };
}

export function aTurn(turn: Partial<ExcerptTurn>): ExcerptTurn {
  return { user: undefined, calls: [], answer: undefined, finish: 'stop', error: undefined, state: undefined, ...turn };
}

export function anExcerpt(...turns: readonly ExcerptTurn[]): Excerpt {
  return {
    is: 'excerpt',
    agent: 'scheduler',
    version: '1',
    environment: undefined,
    attributes: new Map(),
    state: undefined,
    turns,
  };
}

export const CHECK = aCall('check_availability', { time: '2026-03-02T10:00' }, { slot: 'slot-17', available: true });
export const BOOK = aCall(
  'book_meeting',
  { slot: 'slot-17', participants: ['ana', 'bob'], duration: 30 },
  { status: 'ok', meeting: 'mtg-481', duration: 30 },
);

/** Two turns, a lookup and a booking that needs it, and a state that repeats the booking. */
export const BOOKED = anExcerpt(
  aTurn({ user: 'Is Monday at ten free?', calls: [[CHECK]], answer: 'Monday at 10:00 is free. Shall I book it?' }),
  aTurn({
    user: 'Yes, with Ana and Bob.',
    calls: [[CHECK], [BOOK]],
    answer: 'Booked for 30 minutes as mtg-481, with Ana and Bob.',
    state: {
      stage: 'completed',
      booking: { booking_confirmed: true, booked: { participants: ['ana', 'bob'], duration: 30 } },
    },
  }),
);
