/**
 * Where a recorded run can't be understood as it happened, because its spans do not carry it. Each row says which runs,
 * which fields, and why; a row that excuses nothing makes the test fail, and must go.
 */
export interface Exception {
  /** Of the run's name: `<framework>@<version>/<scenario>[.<variant>]`. */
  readonly runs: RegExp;
  readonly fields: RegExp;
  readonly reason: string;
}

export const EXCEPTIONS: readonly Exception[] = [
  {
    runs: /\/support_subagent/,
    fields: /^agent$/,
    reason: 'the script names the sub-agent; the turn belongs to the agent that was asked',
  },
];
