/** The answer of `GET /api/detection`: the newest report, with evidence from the store for what is bad. */
import { type DetectionReport, isWorse, type LevelReading } from '../../model/detection.ts';
import { detectionRecord, type Evidence, levelPart, NO_EVIDENCE } from '../../report/webhooks/detection-record.ts';
import type { ConversationApi } from './conversation-api.ts';
import type { DetectionState } from '../detection/detection-state.ts';
import { evidenceOf } from './detection-evidence.ts';
import type { TraitsOf } from '../store-place/stored-traits.ts';

export async function describeDetection(
  { isActive, report }: DetectionState,
  conversations: ConversationApi,
  traitsOf: TraitsOf,
  onProblem: (error: unknown) => void,
): Promise<unknown> {
  if (report === undefined) return { active: isActive, owner: false };
  const bad = report.levels.filter(({ state }) => isWorse(state) || state === 'suspected');
  const problems = [];
  for (const reading of bad) {
    // A regression is worth more than its evidence.
    const evidence = await evidenceOf({ kind: 'level', reading }, conversations, traitsOf).catch(
      (error: unknown): Evidence => {
        onProblem(error);
        return NO_EVIDENCE;
      },
    );
    problems.push({ ...describeLevel(reading), ...evidence });
  }
  return {
    active: true,
    owner: true,
    observed: report.observed,
    time: report.time === 0 ? null : new Date(report.time).toISOString(),
    problems,
    levels: report.levels.map(describeLevel),
    versions: report.versions,
    judges: report.judges,
    transitions: recentRecords(report),
    learning: report.learning.map(describeLearning),
    notices_waiting: report.notices.length,
  };
}

/** A suite that has changed is learned from stored conversations. */
function describeLearning({ suite, version, stage, done, of }: DetectionReport['learning'][number]) {
  return { suite, version, stage, done, of };
}

function describeLevel(reading: LevelReading) {
  const { suite, agent, environment, state, since, logEvidence, logThreshold, minimumDetectableRatio, unnamedShare } =
    reading;
  return {
    suite,
    agent,
    environment,
    state,
    state_since: since === undefined ? null : new Date(since).toISOString(),
    ...levelPart(reading),
    log_evidence: logEvidence,
    log_evidence_threshold: logThreshold,
    minimum_detectable_change_ratio: minimumDetectableRatio ?? null,
    ...(unnamedShare === undefined ? {} : { unnamed_share: unnamedShare }),
  };
}

function recentRecords({ recent }: DetectionReport) {
  return recent.map((transition) => {
    const { where, worst_conversations, ...record } = detectionRecord(transition, NO_EVIDENCE);
    return record;
  });
}
