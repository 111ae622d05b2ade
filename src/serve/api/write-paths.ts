/** Paths of the API on which something can be written, with the names of their parameters. */
export const WRITE_PATHS = {
  truth: '/v1/truth/{conversation}',
  labels: '/v1/labels/{conversation}',
  accept: '/api/v1/detection/accept',
  reload: '/api/v1/reload',
} as const;
