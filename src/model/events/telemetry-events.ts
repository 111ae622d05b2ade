/** Events of Assay's own traces and metrics on their way, to be logged. */
export interface TelemetryEvent {
  readonly type: 'telemetry-problem';
  readonly problem: string;
}
