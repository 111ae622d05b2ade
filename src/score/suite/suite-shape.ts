/**
 * The form of a suite in YAML. The strict form finds every mistake; the lenient one reads what is left, so that one
 * mistyped field does not hide the mistakes in the expressions next to it.
 */
import { z } from 'zod';
import type { Path } from '../../model/written-document.ts';
import { JUDGING, judgingShape } from '../judge/judged-criterion.ts';
import { NEEDS } from '../subject/needs.ts';
import { NOT_APPLICABLE_HANDLINGS } from '../../model/decision.ts';
import { ABOUTS } from '../../model/evaluation.ts';
import { SCORED_OUTCOMES } from '../../model/severity.ts';
import { CRASH } from './suite.ts';
import { goldenShape, knownTrajectoryKeys, toolPolicyShape, toolsShape } from '../yaml/trajectory-shape.ts';

const globs = z.union([z.string(), z.array(z.string()).readonly()]);
/** YAML reads `version: 2` as a number; a person means the text. */
const versionText = z.union([z.string(), z.number()]).transform(String);
const reasons = z.union([z.string(), z.strictObject({ pass: z.string().optional(), fail: z.string().optional() })]);

const MATCH = {
  agent: globs.optional(),
  version: globs.optional(),
  environment: globs.optional(),
  attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])).optional(),
  expression: z.string().optional(),
};

const OUTCOME = {
  outcome: z.enum(SCORED_OUTCOMES),
  when: z.string().optional(),
};

const FAILS_AS = { kind: z.string(), if_passed: z.string().optional() };

const CRITERION = {
  name: z.string(),
  question: z.string(),
  weight: z.number('a number from 0 to 1, up to six decimal places'),
  check: z.string().optional(),
  uses: z.string().optional(),
  /** Order criterion, whose form `read-order.ts` reads. */
  order: z.unknown().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
  judge: judgingShape.optional(),
  needs: z.array(z.enum(NEEDS)).optional(),
  when: z.string().optional(),
  when_not_applicable: z.enum(NOT_APPLICABLE_HANDLINGS).optional(),
  critical: z.union([z.boolean(), z.enum(SCORED_OUTCOMES)]).optional(),
  fails_as: z.union([z.string(), z.array(z.strictObject(FAILS_AS))]).optional(),
  about: z.enum(ABOUTS).optional(),
  evidence: z.string().optional(),
  reason: reasons.optional(),
};

const SUITE = {
  suite: z.string(),
  version: versionText.optional(),
  description: z.string().optional(),
  scope: z.enum(['conversation', 'turn']),
  normalize: z.boolean().optional(),
  min_decided: z.number('a share from 0 to 1').optional(),
  about: z.enum(ABOUTS).optional(),
  hard_failure_keeps_score: z.boolean().optional(),
  crash: z.enum(CRASH).optional(),
  extract: z.record(z.string(), z.string()).optional(),
  completed: z.string().optional(),
  failed: z.string().optional(),
};

export const strictSuite = z.strictObject({
  ...SUITE,
  match: z.strictObject(MATCH).optional(),
  criteria: z.array(z.strictObject(CRITERION)),
  outcomes: z.array(z.strictObject(OUTCOME)).optional(),
  golden: goldenShape.optional(),
  tool_policy: toolPolicyShape.optional(),
  tools: toolsShape.optional(),
});
export type WrittenSuite = z.output<typeof strictSuite>;
export type WrittenCriterion = WrittenSuite['criteria'][number];

/** Every field that is not of the right form falls back to its absence, or to a stand-in that has been reported. */
export const lenientSuite = z.object({
  suite: z.string().catch('unnamed'),
  version: versionText.optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  scope: SUITE.scope.catch('conversation'),
  normalize: z.boolean().optional().catch(undefined),
  min_decided: z.number().optional().catch(undefined),
  about: SUITE.about.catch(undefined),
  hard_failure_keeps_score: SUITE.hard_failure_keeps_score.catch(undefined),
  crash: SUITE.crash.catch(undefined),
  extract: z.record(z.string(), z.string().catch('null')).optional().catch(undefined),
  completed: z.string().optional().catch(undefined),
  failed: z.string().optional().catch(undefined),
  match: z
    .object({
      agent: MATCH.agent.catch(undefined),
      version: MATCH.version.catch(undefined),
      environment: MATCH.environment.catch(undefined),
      attributes: MATCH.attributes.catch(undefined),
      expression: MATCH.expression.catch(undefined),
    })
    .optional()
    .catch(undefined),
  criteria: z
    .array(
      z.object({
        name: z.string().catch(''),
        question: z.string().catch('?'),
        weight: z.number().catch(Number.NaN),
        check: z.string().optional().catch('true'),
        uses: z.string().optional().catch(undefined),
        order: CRITERION.order,
        with: CRITERION.with.catch(undefined),
        judge: CRITERION.judge.catch({}),
        needs: CRITERION.needs.catch(undefined),
        when: z.string().optional().catch(undefined),
        when_not_applicable: CRITERION.when_not_applicable.catch(undefined),
        critical: CRITERION.critical.catch(undefined),
        fails_as: CRITERION.fails_as.catch(undefined),
        about: CRITERION.about.catch(undefined),
        evidence: z.string().optional().catch(undefined),
        reason: CRITERION.reason.catch(undefined),
      }),
    )
    .catch([]),
  outcomes: z
    .array(z.object({ outcome: OUTCOME.outcome.catch('partial_failure'), when: OUTCOME.when.catch('true') }))
    .optional()
    .catch(undefined),
  golden: goldenShape.optional().catch(undefined),
  tool_policy: toolPolicyShape.optional().catch(undefined),
  tools: toolsShape.optional().catch(undefined),
});

/** The fields there are at a place, for suggestions. */
export function knownSuiteKeys(path: Path): readonly string[] {
  switch (path[0]) {
    case undefined:
      return [...Object.keys(SUITE), 'match', 'criteria', 'outcomes', 'golden', 'tool_policy', 'tools'];
    case 'golden':
    case 'tool_policy':
    case 'tools':
      return knownTrajectoryKeys(path);
    case 'match':
      return Object.keys(MATCH);
    case 'outcomes':
      return Object.keys(OUTCOME);
    case 'criteria':
      if (path.at(-1) === 'reason') return ['pass', 'fail'];
      if (path[2] === 'fails_as') return Object.keys(FAILS_AS);
      return Object.keys(path.at(-1) === 'judge' ? JUDGING : CRITERION);
    default:
      return [];
  }
}
