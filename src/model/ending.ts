/** How a conversation, or a turn, ended. `score/ending.ts` says which it was. Stores keep the place in this list. */
export const ENDINGS = [
  'answered',
  'asked',
  'refused',
  'handed_over',
  'abandoned',
  'error',
  'no_answer',
  'unknown',
] as const;
export type Ending = (typeof ENDINGS)[number];
