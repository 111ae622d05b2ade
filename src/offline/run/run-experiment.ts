/**
 * An experiment from where it is to where no run is left: as many runs at once as there are places, each kept when it
 * is scored. See `run-case.ts` for the states of a run and what a crash does.
 *
 *   running    -- no run is left ----------------------------------> ended    (`endedAt` is written)
 *   running    -- Ctrl-C ------------------------------------------> stopping: what is in flight may end, nothing is begun
 *   stopping   -- nothing is in flight ----------------------------> stopped  (`--resume` goes on)
 *   running    -- all runs of a part are kept, and it is enough ---> ended early (`sequential-gate.ts` in `statistics/compare/gate`)
 *   running, stopping
 *              -- Ctrl-C a second time ----------------------------> stopped: what is in flight is ended, and was not
 *   running    -- the first runs all fail, and show nothing -------> given up, with what to look at; those runs are kept
 *   any        -- keeping or scoring fails ------------------------> the error, after everything has been ended
 *
 * One run that fails is a failed run, and the others go on. Where the first few all fail without a span, it is rather
 * the agent's environment that is wrong, and a thousand more would fail alike. Somebody who resumes afterwards has been
 * told, and it is not given up again.
 */
import type { CaseRun } from '../../model/experiment.ts';
import type { ExperimentFolder } from '../../store/experiment/experiment-folder.ts';
import { AgentPlaces, type PlacesWanted } from './agent-places.ts';
import type { SpanRoutes } from './span-routes.ts';
import { type CaseRunning, runCase, type RunPlace, type ScoredRun } from './run-case.ts';
import type { PlannedRun } from './run-plan.ts';
import { whyNothingIsShown } from './no-spans-hint.ts';

export interface RunsWanted extends Omit<CaseRunning, 'experiment' | 'abandon'>, PlacesWanted {
  readonly folder: ExperimentFolder;
  /** All of them, in parts that are run one after the other; those that are kept are left out. */
  readonly parts: readonly (readonly PlannedRun[])[];
  /** Asked when all runs of a part are kept and nothing is in flight: whether the other parts can be left out. */
  readonly isEnough?: (part: number) => boolean;
  /** Let what is in flight end. */
  readonly stop: AbortSignal;
  /** Don't. */
  readonly abandon: AbortSignal;
  readonly onStarted: (planned: PlannedRun) => void;
  readonly onKept: (run: CaseRun) => void;
  /** Marks a run that was in flight at the stop: it is run again by `--resume`. */
  readonly onAbandoned: (planned: PlannedRun) => void;
}

export type ExperimentEnd =
  | { readonly is: 'ended'; readonly lateSpans: number; readonly unclaimedTraces: number }
  | { readonly is: 'stopped'; readonly left: number }
  /** `left`: runs that were not begun, or abandoned. */
  | { readonly is: 'given up'; readonly because: string; readonly left: number };

/** Failures without a single span before the experiment ends: so many are no chance. */
const SHOWN_NOTHING_MAX = 3;

export async function runExperiment(wanted: RunsWanted): Promise<ExperimentEnd> {
  const { folder, isEnough } = wanted;
  const kept = new Set(folder.runs.map(keyOf));
  const parts = wanted.parts.map((part) =>
    part.filter((planned) => !kept.has(keyOf({ case: planned.case.id, repeat: planned.repeat }))),
  );
  const begun = parts.findIndex((part, index) => part.length > 0 || isEnough?.(index) === true);
  const left = begun === -1 ? [] : parts.slice(begun);
  if (left[0] === undefined || left[0].length === 0) return ended(folder, []);
  const all = left.reduce((sum, part) => sum + part.length, 0);
  const places = await AgentPlaces.open({ ...wanted, places: Math.min(wanted.places, all) });
  try {
    const runs = new ExperimentRuns(wanted, all);
    for (const [index, part] of left.entries()) {
      if (!(await runs.through(part, places.places))) break;
      if (runs.givenUp === undefined && isEnough?.(begun + index) === true) return ended(folder, places.routes);
    }
    if (runs.left === 0) ended(folder, places.routes);
    if (runs.givenUp !== undefined) {
      const because = whyNothingIsShown(runs.givenUp, { target: wanted.target, places });
      return { is: 'given up', because, left: runs.left };
    }
    return runs.left > 0 ? { is: 'stopped', left: runs.left } : ended(folder, places.routes);
  } finally {
    await places.close();
  }
}

function ended(folder: ExperimentFolder, routes: readonly SpanRoutes[]): ExperimentEnd {
  if (folder.experiment.endedAt === undefined) folder.update({ endedAt: new Date().toISOString() });
  return {
    is: 'ended',
    lateSpans: routes.reduce((sum, { late }) => sum + late, 0),
    unclaimedTraces: routes.reduce((sum, { unclaimed }) => sum + unclaimed, 0),
  };
}

class ExperimentRuns {
  readonly #wanted: RunsWanted;
  #queue: PlannedRun[] = [];
  readonly #all: number;
  #done = 0;
  /** Whether any run has shown what the agent did, or an earlier command has kept some. */
  #isProven: boolean;
  /** How many runs have failed without a span, as long as no other has shown one. */
  #shownNothing = 0;
  readonly #over = new AbortController();
  /** The run after which it was of no use to go on. */
  givenUp: ScoredRun | undefined;

  constructor(wanted: RunsWanted, all: number) {
    this.#wanted = wanted;
    this.#all = all;
    this.#isProven = wanted.folder.runs.length > 0;
  }

  /** Runs that are not kept. */
  get left(): number {
    return this.#all - this.#done;
  }

  /** Whether all of the part are kept. */
  async through(part: readonly PlannedRun[], places: readonly RunPlace[]): Promise<boolean> {
    const before = this.#done;
    this.#queue = [...part];
    const failures: unknown[] = [];
    const workers = places.map(async (place) => {
      try {
        await this.#work(place);
      } catch (error) {
        failures.push(error);
        this.#over.abort();
      }
    });
    await Promise.all(workers);
    if (failures.length > 0) throw failures[0];
    return this.#done - before === part.length;
  }

  async #work(place: RunPlace): Promise<void> {
    const { folder, stop, abandon, onStarted, onAbandoned } = this.#wanted;
    const running: CaseRunning = {
      ...this.#wanted,
      experiment: folder.experiment.id,
      abandon: AbortSignal.any([abandon, this.#over.signal]),
    };
    while (!stop.aborted && !running.abandon.aborted) {
      const planned = this.#queue.shift();
      if (planned === undefined) return;
      onStarted(planned);
      const scored = await runCase(planned, place, running);
      if (scored === undefined) onAbandoned(planned);
      else this.#ended(scored);
    }
  }

  #ended(scored: ScoredRun): void {
    this.#keep(scored);
    if (this.#isProven) return;
    this.#isProven = scored.content.traces.length > 0;
    if (this.#isProven) return;
    this.#shownNothing += 1;
    if (this.#shownNothing < Math.min(SHOWN_NOTHING_MAX, this.#all)) return;
    this.givenUp = scored;
    this.#over.abort();
  }

  #keep({ run, content, agentVersion }: ScoredRun): void {
    const { folder, onKept } = this.#wanted;
    const { agent } = folder.experiment;
    if (agentVersion !== undefined && agent.version === undefined) {
      folder.update({ agent: { ...agent, version: agentVersion } });
    }
    const kept = folder.append(run, content);
    this.#done += 1;
    onKept(kept);
  }
}

function keyOf(run: Pick<CaseRun, 'case' | 'repeat'>): string {
  return JSON.stringify([run.case, run.repeat]);
}
