/**
 * Detection with other settings over the store's history: which alarms there would have been, when, and which known
 * incidents they find. So a team can choose its settings on its own past.
 *
 * The store does not keep what a suite is, only what it said. A suite that the configuration lacks is replayed without
 * criteria: its score, outcomes, steps and cost are watched.
 *
 * The evaluations go through detectors as the service has them, in the order in which they were scored. Users, tools,
 * models and the like are not stored with an evaluation. So users are allowed for only as neighbours, and of the parts
 * of the traffic only the configured segments are watched.
 */
import type { DetectionSettings } from '../statistics/detect/settings.ts';
import type { RegressionEpisode } from '../model/backtest.ts';
import type { VerdictKind } from '../model/evaluation.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';
import { decodeBasis } from '../store/basis-codec.ts';
import type { EvaluationScanner, ScannedEvaluation } from '../store/evaluation-scan.ts';
import { observedAs, ReplayedDetectors, seenAt } from './alerts.ts';
import { toWhose } from './comparison.ts';

export interface Incident {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Only alarms of this agent find it; of any if there is none. */
  readonly agent?: string | undefined;
}

/** Suite that is replayed; without criteria it is known by its name alone. */
export type ReplayedSuite = Pick<CompiledSuite, 'name' | 'criteria'>;

/** Why no alarm could have found an incident: nothing of that time, or of its agent, is in the history. */
export type NotReplayed = 'outside_of_history' | 'no_such_agent';

interface ReplayedAlarm extends RegressionEpisode {
  readonly suite: string;
  /** The known incident in which it began. */
  readonly incident: string | undefined;
}

export interface Replay {
  readonly evaluations: number;
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly alarms: readonly ReplayedAlarm[];
  /** Hours from its beginning to the first alarm; undefined where none came. */
  readonly incidents: readonly (Incident & {
    readonly foundAfterMs: number | undefined;
    readonly notReplayed: NotReplayed | undefined;
  })[];
  /** Evaluations by the name of the suite. */
  readonly bySuite: ReadonlyMap<string, number>;
  /** Evaluations of which only the score and the outcome are kept. */
  readonly withoutVerdicts: number;
  /** Agents, for each suite, and those that were known well enough for an alarm by the end. */
  readonly agents: { readonly all: number; readonly learnt: number };
}

export async function replayDetection({
  reader,
  suites,
  settings,
  incidents,
  since,
  agent,
  onProgress,
}: {
  readonly reader: EvaluationScanner;
  readonly suites: readonly ReplayedSuite[];
  readonly settings: DetectionSettings;
  readonly incidents: readonly Incident[];
  readonly since?: number | undefined;
  readonly agent?: string | undefined;
  readonly onProgress?: (evaluations: number) => void;
}): Promise<Replay> {
  const seen = { evaluations: 0, withoutVerdicts: 0, from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY };
  const alarms: ReplayedAlarm[] = [];
  const history = new SeenAgents();
  const bySuite = new Map<string, number>();
  const agents = { all: 0, learnt: 0 };
  for (const suite of suites) {
    const detectors = new ReplayedDetectors(settings);
    const judges = new Judges();
    let time = 0;
    for await (const page of reader.scanEvaluations({ suiteKey: suite.name, since, agent })) {
      for (const stored of page) {
        const { at, steps, costUsd } = seenAt(stored);
        time = Math.max(time, at);
        const verdicts = verdictsOf(stored, suite, judges);
        if (verdicts.size === 0) seen.withoutVerdicts += 1;
        const side = { score: stored.score, outcome: stored.outcome, verdicts };
        const whose = toWhose(stored.labels);
        history.see(whose.agent, time);
        const observed = observedAs(side, suite, stored.suiteVersion, whose);
        detectors.observe({ ...observed, judgedBy: judges.version, costUsd, steps: steps ?? 0 }, time);
        seen.from = Math.min(seen.from, time);
        seen.to = Math.max(seen.to, time);
      }
      seen.evaluations += page.length;
      bySuite.set(suite.name, (bySuite.get(suite.name) ?? 0) + page.length);
      detectors.advance(time);
      onProgress?.(seen.evaluations);
    }
    agents.all += detectors.agents.all;
    agents.learnt += detectors.agents.learnt;
    for (const episode of detectors.episodes(time))
      alarms.push({ ...episode, suite: suite.name, incident: incidentOf(episode, incidents)?.name });
  }
  alarms.sort((a, b) => a.beganAt - b.beganAt);
  return {
    evaluations: seen.evaluations,
    withoutVerdicts: seen.withoutVerdicts,
    from: seen.evaluations === 0 ? undefined : seen.from,
    to: seen.evaluations === 0 ? undefined : seen.to,
    alarms,
    bySuite,
    agents,
    incidents: incidents.map((incident) => {
      const first = alarms.find((alarm) => incidentOf(alarm, [incident]) !== undefined);
      return {
        ...incident,
        foundAfterMs: first === undefined ? undefined : first.beganAt - incident.from,
        notReplayed: history.whyNot(incident),
      };
    }),
  };
}

/** From when to when each agent was seen. */
class SeenAgents {
  readonly #times = new Map<string, { readonly from: number; readonly to: number }>();

  see(agent: string, at: number): void {
    const known = this.#times.get(agent);
    this.#times.set(agent, { from: Math.min(known?.from ?? at, at), to: Math.max(known?.to ?? at, at) });
  }

  whyNot({ agent, from, to }: Incident): NotReplayed | undefined {
    const times = [...this.#times].filter(([name]) => agent === undefined || name === agent);
    if (agent !== undefined && times.length === 0 && this.#times.size > 0) return 'no_such_agent';
    return times.some(([, seen]) => from <= seen.to && to >= seen.from) ? undefined : 'outside_of_history';
  }
}

/** The incident during which an alarm began. */
function incidentOf({ beganAt, agent }: RegressionEpisode, incidents: readonly Incident[]): Incident | undefined {
  return incidents.find(
    (one) => beganAt >= one.from && beganAt <= one.to && (one.agent === undefined || one.agent === agent),
  );
}

/** Verdicts are kept in the order of the suite as it was; they are believed where there are as many. */
function verdictsOf({ basis }: ScannedEvaluation, suite: ReplayedSuite, judges: Judges): Map<string, VerdictKind> {
  const kept = basis === undefined ? [] : decodeBasis(basis).verdicts;
  if (kept.length !== suite.criteria.length) return new Map();
  for (const [place, { judgeVersion }] of kept.entries()) judges.see(place, judgeVersion);
  return new Map(suite.criteria.map(({ name }, place) => [name, kept[place]?.verdict ?? 'skipped']));
}

/** Counts how often the judge of a criterion changed, ignoring evaluations that needed no judge. */
class Judges {
  readonly #versions = new Map<number, string>();
  #changes = 0;

  get version(): string {
    return this.#versions.size === 0 ? '' : String(this.#changes);
  }

  see(place: number, version: string | undefined): void {
    if (version === undefined) return;
    const known = this.#versions.get(place);
    if (known !== undefined && known !== version) this.#changes += 1;
    this.#versions.set(place, version);
  }
}
