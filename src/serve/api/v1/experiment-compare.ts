/**
 * `GET /api/v1/experiments/compare`: two experiments side by side, the document of `assay compare --json`.
 * `GET /api/v1/experiments/gate`: the decision of the release gate about them, the document of `assay gate --json`.
 */
import { compareExperiments, suitesOf } from '../../../statistics/compare/compare-experiments.ts';
import { gateBetween } from '../../../statistics/compare/gate/gate-between.ts';
import { comparison } from '../../../api/comparison.ts';
import { comparisonQuery, gateAnswer, gateQuery } from '../../../api/experiments.ts';
import { mayRelease } from '../../../model/gate.ts';
import { formatMistake } from '../../../model/mistake.ts';
import { jsonAnswer } from '../../../report/http/answer.ts';
import { comparisonJson } from '../../../report/documents/comparison-json.ts';
import { gateJson } from '../../../report/documents/gate-report.ts';
import { type ComparingSide, experimentPair } from './comparing-side.ts';
import { Refusal, v1Read } from './v1-read.ts';

type Side = Pick<ComparingSide, 'experiments' | 'results'>;

export const compareTwo = v1Read({
  path: '/api/v1/experiments/compare',
  summary: `?a= &b= (id, name or latest) &suite= &confidence=0.95 &smallest=0.05
two experiments side by side, as assay compare --json prints it`,
  query: comparisonQuery,
  answer: comparison,
  read: async (side: Side, { a, b, suite: suites, confidence, smallest }) => {
    const pair = experimentPair(side, { a, b });
    if (pair instanceof Refusal) return pair;
    const [first, second] = [pair.a.result, pair.b.result];
    const known = suitesOf(first).filter((suite) => suitesOf(second).includes(suite));
    const strange = (suites ?? []).filter((suite) => !known.includes(suite));
    if (strange.length > 0) {
      const problems = strange.map((suite) => `suite: ${JSON.stringify(suite.slice(0, 200))} did not score both`);
      return new Refusal(jsonAnswer(400, { error: 'the query has mistakes', problems }));
    }
    return comparisonJson(compareExperiments(first, second, { confidence, smallest, suites }));
  },
});

export const gateOfTwo = v1Read({
  path: '/api/v1/experiments/gate',
  summary: `?candidate= &baseline= (id, name or latest)
may the candidate be released? As assay gate --json prints it, by gate.yaml where the service was started`,
  query: gateQuery,
  answer: gateAnswer,
  read: async (side: Side, { candidate, baseline }) => {
    const pair = experimentPair(side, { a: baseline, b: candidate });
    if (pair instanceof Refusal) return pair;
    const gated = await gateBetween({ candidate: pair.b.result, baseline: pair.a.result, rules: undefined });
    if (gated.is === 'undecidable')
      return new Refusal(jsonAnswer(409, { error: 'the gate decides nothing', problems: gated.problems }));
    if (gated.is === 'mistaken')
      return new Refusal(
        jsonAnswer(409, {
          error: 'the file of rules has mistakes',
          problems: gated.mistakes.map((mistake) => formatMistake(mistake).trim()),
        }),
      );
    return {
      rules: gated.file === undefined ? ('default' as const) : ('file' as const),
      may_release: mayRelease(gated.result, gated.gate.onNotEnoughEvidence),
      result: gateJson(gated.result, gated.gate.onNotEnoughEvidence),
    };
  },
});
