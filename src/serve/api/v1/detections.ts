/** `GET /api/v1/detections`: what has got worse, in sentences. `GET /api/detection` has every level with its evidence. */
import { z } from 'zod';
import { detections, type Detections } from '../../../api/detections.ts';
import { type DetectionReport, isWorse, type LevelReading, noneOfThese } from '../../../model/detection.ts';
import { learningText } from '../../../model/history-learning.ts';
import { detectionRecord, levelSummary, NO_EVIDENCE } from '../../../report/webhooks/detection-record.ts';
import { isoTime } from './iso-time.ts';
import { v1Read } from './v1-read.ts';
import type { V1Side } from './v1-side.ts';

const SHOWN_MAX = 100;
const CAUSES_MAX = 10;

export const getDetections = v1Read({
  path: '/api/v1/detections',
  summary: 'the open alarms, one sentence each with its size and causes; the last changes',
  query: z.strictObject({}),
  answer: detections,
  read: async ({ detectionState }: Pick<V1Side, 'detectionState'>) => {
    const { isActive, report } = detectionState();
    return report === undefined ? withoutReport(isActive) : withReport(report);
  },
});

function withoutReport(isActive: boolean): Detections {
  const note = isActive
    ? 'no round of detection has ended here yet, or another instance does them'
    : 'regression detection is switched off (detection.active)';
  return { is_active: isActive, note, open: [], changes: [], judges: [], learning: 0, watching: 0, watched: [] };
}

function withReport({ levels, recent, judges, learning }: DetectionReport): Detections {
  const bad = levels.filter(({ state }) => isWorse(state) || state === 'suspected');
  // That a level is being learned is no change of the agent.
  const changes = recent.filter((one) => one.kind !== 'level' || one.to !== 'learning');
  return {
    is_active: true,
    ...(learning.length > 0 && { note: learning.map(learningText).join('; ') }),
    // Certain changes come first.
    open: bad
      .toSorted((a, b) => Number(isWorse(b.state)) - Number(isWorse(a.state)))
      .slice(0, SHOWN_MAX)
      .map(openJson),
    changes: changes.slice(0, SHOWN_MAX).map((transition) => {
      const record = detectionRecord(transition, NO_EVIDENCE);
      const { at, summary, agent, environment, suite, metric, criterion, segment, since, kind } = record;
      return {
        ...{ at, sentence: summary, agent, environment, suite, kind },
        ...(metric === 'version' || metric === 'judges' ? {} : { metric }),
        ...(criterion === undefined ? {} : { criterion }),
        ...(segment === undefined ? {} : { segment }),
        ...(since === null ? {} : { since }),
      };
    }),
    judges: judges.map(({ suite, agent, environment, moved }) => ({
      ...{ suite, agent, environment },
      ...(moved === undefined
        ? {}
        : { before: moved.before, after: moved.after, by_judges: moved.byJudges, by_others: moved.byOthers }),
    })),
    ...countsOf(levels),
    watched: [
      ...Map.groupBy(levels, ({ suite, agent, environment }) => JSON.stringify([suite, agent, environment])),
    ].map(([key, of]) => {
      const [suite, agent, environment] = JSON.parse(key) as readonly [string, string, string];
      return { suite, agent, environment, ...countsOf(of) };
    }),
  };
}

function countsOf(levels: readonly LevelReading[]): Pick<Detections, 'learning' | 'watching'> {
  const countOf = (...states: readonly LevelReading['state'][]) =>
    levels.filter(({ state }) => states.includes(state)).length;
  return { learning: countOf('learning'), watching: levels.length - countOf('learning', 'no_data') };
}

function openJson(reading: LevelReading): Detections['open'][number] {
  const { agent, environment, suite, metric, criterion, part, state, onset, change, parts } = reading;
  const none = noneOfThese(reading.causes ?? []);
  return {
    sentence: levelSummary(reading, state),
    agent,
    environment,
    suite,
    metric,
    ...(criterion === undefined ? {} : { criterion }),
    ...(part === undefined ? {} : { segment: part }),
    state,
    explained_by: (reading.causes ?? []).map((cause) => ({ ...cause, parts: [...cause.parts] })),
    ...(none === undefined ? {} : { none_of_these: none }),
    ...(onset === undefined ? {} : { since: isoTime(onset) }),
    ...(change === undefined
      ? {}
      : {
          baseline: change.baseline,
          observed: change.observed,
          size: { value: change.ratio, low: change.lower, high: change.upper },
        }),
    causes: parts
      .toSorted((a, b) => Math.abs(b.points) - Math.abs(a.points))
      .slice(0, CAUSES_MAX)
      .map(({ part, criterion: name, points }) => ({ kind: part, name: part === 'mix' ? 'mix' : name, points })),
  };
}
