/**
 * An experiment from where it is to where no run is left: as many runs at once as there are places, each kept when it
 * is scored. See `run-case.ts` for the states of a run and what a crash does.
 *
 *   running    -- no run is left ----------------------------------> ended    (`endedAt` is written)
 *   running    -- Ctrl-C ------------------------------------------> stopping: what is in flight may end, nothing is begun
 *   stopping   -- nothing is in flight ----------------------------> stopped  (`--resume` goes on)
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
  /** All of them; those that are kept are left out. */
  readonly planned: readonly PlannedRun[];
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

/** So many failures without a single span are no chance. */
const SHOWN_NOTHING_MAX = 3;

export async function runExperiment(wanted: RunsWanted): Promise<ExperimentEnd> {
  const kept = new Set(wanted.folder.runs.map(keyOf));
  const left = wanted.planned.filter((planned) => !kept.has(keyOf({ case: planned.case.id, repeat: planned.repeat })));
  if (left.length === 0) return ended(wanted.folder, []);
  const places = await AgentPlaces.open({ ...wanted, places: Math.min(wanted.places, left.length) });
  try {
    const runs = new ExperimentRuns(wanted, left);
    await runs.through(places.places);
    if (runs.left === 0) ended(wanted.folder, places.routes);
    if (runs.givenUp !== undefined) {
      const because = whyNothingIsShown(runs.givenUp, { target: wanted.target, places });
      return { is: 'given up', because, left: runs.left };
    }
    return runs.left > 0 ? { is: 'stopped', left: runs.left } : ended(wanted.folder, places.routes);
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
  readonly #queue: PlannedRun[];
  readonly #all: number;
  #done = 0;
  /** Whether any run has shown what the agent did, or an earlier command has kept some. */
  #isProven: boolean;
  /** How many runs have failed without a span, as long as no other has shown one. */
  #shownNothing = 0;
  readonly #over = new AbortController();
  /** The run after which it was of no use to go on. */
  givenUp: ScoredRun | undefined;

  constructor(wanted: RunsWanted, left: readonly PlannedRun[]) {
    this.#wanted = wanted;
    this.#queue = [...left];
    this.#all = left.length;
    this.#isProven = wanted.folder.runs.length > 0;
  }

  /** Runs that are not kept. */
  get left(): number {
    return this.#all - this.#done;
  }

  async through(places: readonly RunPlace[]): Promise<void> {
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
