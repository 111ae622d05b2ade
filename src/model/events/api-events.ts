/** Events of writes through the API, to be counted. */
export interface ApiEvent {
  readonly type: 'api-written';
  /** Route as registered, with names of parameters in place of their values. */
  readonly route: string;
  readonly status: number;
}
