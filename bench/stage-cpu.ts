/**
 * CPU time of the main thread by stage, user and system separately. The time of a nested stage is subtracted from the
 * outer one, so that the lines add up. The last two lines are time outside all stages: the journal's part on the main
 * thread (its checksums), and the other threads (writing and syncing the journal, collecting garbage, compiling).
 *
 * The system advances this clock at its ticks, some milliseconds apart, and when the thread goes to sleep. Over a run
 * the stages get their shares of the ticks. But the time since the last tick before each sleep is assigned to the line
 * of the loop, which is therefore too high: 10 µs a span where a profile finds 2 to 4.
 */
interface Spent {
  user: number;
  system: number;
}

export class StageCpu {
  readonly #spent = new Map<string, Spent>();
  #inner: Spent = { user: 0, system: 0 };
  isOn = false;

  timed<T>(stage: string, work: () => T): T {
    if (!this.isOn) return work();
    const outer = this.#inner;
    const inner = { user: 0, system: 0 };
    this.#inner = inner;
    const before = process.threadCpuUsage();
    try {
      return work();
    } finally {
      const { user, system } = process.threadCpuUsage(before);
      const spent = this.#of(stage);
      spent.user += user - inner.user;
      spent.system += system - inner.system;
      outer.user += user;
      outer.system += system;
      this.#inner = outer;
    }
  }

  lines(run: {
    readonly spans: number;
    readonly totalSeconds: number;
    readonly mainSeconds: number;
  }): readonly string[] {
    const total = run.totalSeconds * 1e6;
    const known = [...this.#spent.values()].reduce((sum, { user, system }) => sum + user + system, 0);
    const line = (stage: string, user: number, system: number | undefined) => {
      const share = (((user + (system ?? 0)) / total) * 100).toFixed(1).padStart(5);
      const each = ((user + (system ?? 0)) / run.spans).toFixed(2).padStart(6);
      const apart = system === undefined ? '' : `, ${(system / run.spans).toFixed(2)} of it system`;
      return `${share} %  ${each} µs a span  ${stage}${apart}`;
    };
    return [
      ...[...this.#spent].map(([stage, { user, system }]) => line(stage, user, system)),
      line('journal and the loop', run.mainSeconds * 1e6 - known, undefined),
      line('other threads', total - run.mainSeconds * 1e6, undefined),
    ];
  }

  #of(stage: string): Spent {
    let spent = this.#spent.get(stage);
    if (spent === undefined) {
      spent = { user: 0, system: 0 };
      this.#spent.set(stage, spent);
    }
    return spent;
  }
}
