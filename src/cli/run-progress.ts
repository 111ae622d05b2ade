/** How far an experiment is: a bar that overwrites itself on a terminal, a line every few seconds elsewhere. */
import { counted } from '../model/counted.ts';
import { scoreOf } from '../statistics/compare/measure.ts';
import type { CaseRun } from '../model/experiment.ts';
import type { ExperimentFolder } from '../store/experiment/experiment-folder.ts';
import { Heartbeat, timeLeft } from './heartbeat.ts';
import { safe, type Terminal } from './terminal.ts';

const BAR_WIDTH = 24;

export class RunProgress {
  readonly #terminal: Terminal;
  readonly #folder: ExperimentFolder;
  readonly #all: number;
  readonly #before: number;
  readonly #startedAt = performance.now();
  #inFlight = 0;
  #scores = 0;
  #scored = 0;
  #failed = 0;
  readonly #heartbeat: Heartbeat;

  constructor(terminal: Terminal, { folder, all }: { readonly folder: ExperimentFolder; readonly all: number }) {
    this.#terminal = terminal;
    this.#folder = folder;
    this.#all = all;
    this.#before = folder.runs.length;
    for (const run of folder.runs) this.#count(run);
    this.#heartbeat = new Heartbeat(terminal, (isLive) => this.#text(isLive));
  }

  begin(): void {
    const { id, name, dataset, repeats, agent, suites, seed } = this.#folder.experiment;
    const times = repeats === 1 ? '' : ` × ${repeats}`;
    const going =
      this.#before === 0
        ? ''
        : ` Going on: ${this.#before} of ${counted(this.#all, 'run')} ${this.#before === 1 ? 'is' : 'are'} kept already.`;
    this.#terminal.err(
      `Experiment ${id} (${safe(name)}): ${counted(dataset.cases, 'case')}${times} of ${safe(dataset.name)}, scored by ${suites.map((suite) => suite.name).join(', ')}; seed ${seed}.`,
    );
    this.#terminal.err(
      `Agent: ${safe(agent.target)} (${agent.kind}).${going} Ctrl-C stops it, and --resume continues.`,
    );
    this.#heartbeat.begin();
  }

  started(): void {
    this.#inFlight += 1;
  }

  abandoned(): void {
    this.#inFlight -= 1;
  }

  kept(run: CaseRun): void {
    this.#inFlight = Math.max(0, this.#inFlight - 1);
    this.#count(run);
  }

  stopping(order: 'first' | 'second'): void {
    this.#terminal.progressDone();
    this.#terminal.err(
      order === 'first'
        ? `Stopping: ${counted(this.#inFlight, 'run')} in flight may end, no other is begun. Ctrl-C again ends them now.`
        : 'Ending what is in flight.',
    );
  }

  end(): void {
    this.#heartbeat.end();
  }

  #count(run: CaseRun): void {
    for (const { name } of this.#folder.experiment.suites) {
      const score = scoreOf({ run, evaluations: run.evaluations.filter(({ suite }) => suite === name) });
      if (score === undefined) continue;
      this.#scores += score;
      this.#scored += 1;
    }
    if (run.end !== 'completed') this.#failed += 1;
  }

  #text(isLive: boolean): string {
    const done = this.#folder.runs.length;
    const share = done / this.#all;
    const filled = Math.round(share * BAR_WIDTH);
    const bar = isLive ? `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ` : '';
    const tookMs = performance.now() - this.#startedAt;
    const left = timeLeft({ done: done - this.#before, of: this.#all - this.#before, tookMs });
    const parts = [
      `${done} of ${counted(this.#all, 'run')}`,
      ...(this.#failed > 0 ? [`${this.#failed} failed`] : []),
      ...(this.#scored > 0 ? [`mean score ${(this.#scores / this.#scored).toFixed(3)}`] : []),
      ...(left === undefined ? [] : [left]),
    ];
    return `${bar}${parts.join(', ')}`;
  }
}
