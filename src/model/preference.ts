/** Which of two answers is preferred: a point for the one, and none for either where they are about equal. */
export type Preference = readonly [1, 0] | readonly [0, 1] | readonly [0, 0];
