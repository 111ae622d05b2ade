/** Events of results on their way to a backend, to be counted and logged. */
export type ResultEvent =
  | { readonly type: 'results-sent'; readonly evaluations: number }
  /** Results could not be sent: they wait, and are retried. */
  | { readonly type: 'results-failed'; readonly problem: string }
  /** The backend will never take them. */
  | { readonly type: 'results-refused'; readonly evaluations: number; readonly problem: string }
  /** More waited than may. */
  | { readonly type: 'results-dropped'; readonly evaluations: number };
