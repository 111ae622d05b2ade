/** Reasons to look at conversations, in the order in which people read what was found. */
export const FIND_SOURCES = [
  'came_out_bad',
  'feedback_negative',
  'read_bad',
  'criteria_failed',
  'foretold_bad',
  'new',
] as const;
export type FindSource = (typeof FIND_SOURCES)[number];
