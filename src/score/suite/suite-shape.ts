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

export const lenientSuite = lenient(
  {
    ...SUITE,
    extract: z.record(z.string(), z.string().catch('null')).optional(),
    match: lenient(MATCH).optional(),
    criteria: z.array(lenient(CRITERION, { name: '', question: '?', weight: Number.NaN, check: 'true', judge: {} })),
    outcomes: z.array(lenient(OUTCOME, { outcome: 'partial_failure', when: 'true' })).optional(),
    golden: goldenShape.optional(),
    tool_policy: toolPolicyShape.optional(),
    tools: toolsShape.optional(),
  },
  { suite: 'unnamed', scope: 'conversation', criteria: [] },
);

/** Every field that is not of the right form falls back to its absence, or to a stand-in that has been reported. */
function lenient<Shape extends Readonly<Record<string, z.ZodType>>>(
  shape: Shape,
  standIns: { readonly [Name in keyof Shape]?: z.output<Shape[Name]> } = {},
) {
  const fields = Object.entries(shape).map(([name, field]) => [name, field.catch(standIns[name])]);
  // The cast holds: the fields are those of the shape, each of which gives what its own does, or a stand-in for it.
  return z.object(Object.fromEntries(fields) as Shape);
}

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
