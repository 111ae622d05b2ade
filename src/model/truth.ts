/** Where truth is written down beforehand, and what a conversation is found by in it. */
export interface TruthFile {
  readonly path: string;
  readonly by: 'conversation' | { readonly attribute: string };
}
