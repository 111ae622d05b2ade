/** `GET /api/v1/experiments/compare/case`: a case as two experiments ran it, with both transcripts and all verdicts. */
import { tellingRuns } from '../../../statistics/compare/telling-runs.ts';
import { tryConversationOfRun } from '../../../engine/recorded/recorded-run.ts';
import { type CaseRunJson, comparedCase, comparedCaseQuery } from '../../../api/experiments.ts';
import type { FullEvaluation } from '../../../api/conversation-detail.ts';
import type { Evaluation } from '../../../model/evaluation.ts';
import type { CaseRun, Experiment } from '../../../model/experiment.ts';
import { jsonAnswer } from '../../../report/http/answer.ts';
import { type ComparingSide, experimentPair, type NamedExperiment, withoutPath } from './comparing-side.ts';
import { evaluationJson } from './full-evaluations.ts';
import { transcriptJson } from './transcript-json.ts';
import { Refusal, v1Read } from './v1-read.ts';

type Side = Pick<ComparingSide, 'experiments' | 'results' | 'idKeys'>;

export const getComparedCase = v1Read({
  path: '/api/v1/experiments/compare/case',
  summary: `?a= &b= (id, name or latest) &case= &suite=
what was said and done in a case in both experiments, and the verdicts: two repeats that differ, if any do`,
  query: comparedCaseQuery,
  answer: comparedCase,
  read: async (side: Side, { a, b, case: name, suite: suites }) => {
    const pair = experimentPair(side, { a, b });
    if (pair instanceof Refusal) return pair;
    const runs = tellingRuns(name, { a: pair.a.result, b: pair.b.result }, suites);
    if (runs === undefined) {
      const error = `no run of a case ${JSON.stringify(name.slice(0, 200))} is known in either`;
      return new Refusal(jsonAnswer(404, { error }));
    }
    return {
      case: name,
      a: runs.a === undefined ? null : await runJson(side, pair.a, { run: runs.a, suites }),
      b: runs.b === undefined ? null : await runJson(side, pair.b, { run: runs.b, suites }),
    };
  },
});

async function runJson(
  { idKeys, experiments }: Side,
  { folder, result: { experiment } }: NamedExperiment,
  { run, suites }: { readonly run: CaseRun; readonly suites: readonly string[] | undefined },
): Promise<CaseRunJson> {
  const conversation = await tryConversationOfRun(folder, run, { conversation: { idKeys } });
  const isThere = !('because' in conversation);
  const { turns, stepsLeftOut } = transcriptJson(isThere ? conversation.turns : [], { traces: [], provenance: false });
  const asked = run.evaluations.filter(({ suite }) => suites?.includes(suite) ?? true);
  return {
    experiment: experiment.id,
    name: experiment.name,
    repeat: run.repeat,
    repeats: experiment.repeats,
    conversation_id: run.conversationId,
    end: run.end,
    ...(run.problem === undefined ? {} : { problem: run.problem }),
    turn_list: turns,
    steps_left_out: stepsLeftOut,
    ...(isThere ? {} : { no_transcript: withoutPath(conversation.because, experiments) }),
    evaluations: asked.map((evaluation) => evaluationOf(experiment, evaluation)),
  };
}

function evaluationOf({ suites }: Experiment, evaluation: Evaluation): FullEvaluation {
  const suite = suites.find(({ name }) => name === evaluation.suite);
  const whole = suite?.criteria.reduce((sum, { weight }) => sum + weight, 0) ?? 0;
  return evaluationJson(evaluation, {
    madeAt: undefined,
    isLatest: true,
    asked: (name) => {
      const criterion = suite?.criteria.find((one) => one.name === name);
      if (criterion === undefined || whole === 0) return undefined;
      const { weight, isCritical: critical, question } = criterion;
      return { weight: weight / whole, critical, question };
    },
  });
}
