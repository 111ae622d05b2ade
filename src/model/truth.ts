/** A file with ground truth that was written beforehand, and the keys by which a conversation finds its row. */
export interface TruthFile {
  readonly path: string;
  readonly by: 'conversation' | { readonly attribute: string };
}
