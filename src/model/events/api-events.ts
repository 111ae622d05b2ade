/** Events of writes through the API, to be counted. */
export interface ApiEvent {
  readonly type: 'api-written';
  /** As it was registered, with the names of its parameters and not what was given for them. */
  readonly route: string;
  readonly status: number;
}
