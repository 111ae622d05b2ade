/** Kinds of lines in a comparison of a run with its golden trace. */
export const DIFF_KINDS = ['matched', 'wrong_arguments', 'missing', 'extra', 'out_of_order', 'unsafe'] as const;
export type DiffKind = (typeof DIFF_KINDS)[number];
