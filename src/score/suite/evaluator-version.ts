/**
 * The versions under which what a suite says is sent out: hashes of what it says, so that two evaluators never have one
 * version, whatever their authors wrote under `version:`.
 *
 *   a criterion   what its verdict depends on: check, when, needs, extracts and golden traces; where a model answers, the judge's version as well
 *   the suite     all that is written in it, and its criteria
 *
 * For code the text of the module counts, without its imports. A built-in check belongs to Assay, whose version is sent
 * beside it.
 */
import { createHash } from 'node:crypto';
import { judgeVersion } from './judge-version.ts';
import type { Judges } from './judges.ts';
import type { CompiledCriterion, CompiledSuite, Suite } from './suite.ts';

export interface EvaluatorVersions {
  /** Version of the suite as a whole. */
  readonly suite: string;
  readonly criteria: ReadonlyMap<string, string>;
}

const VERSION_LENGTH = 12;

export function evaluatorVersions(suite: CompiledSuite, settingsOf: Judges['settings']): EvaluatorVersions {
  const criteria = new Map(
    suite.criteria.map((criterion) => [criterion.name, criterionVersion(criterion, suite, settingsOf)]),
  );
  return { suite: hashOf([suite.text, [...criteria]]), criteria };
}

/** Version of all criteria of a suite that a model answers; empty if there are none. */
export function judgedBy(suite: CompiledSuite, { criteria }: EvaluatorVersions): string {
  const versions = suite.criteria.flatMap(({ name, judged }) =>
    judged === undefined ? [] : (criteria.get(name) ?? ''),
  );
  return versions.length === 0 ? '' : hashOf(versions);
}

function criterionVersion(criterion: CompiledCriterion, suite: CompiledSuite, settingsOf: Judges['settings']): string {
  const { name, definition = suite.text, judged } = criterion;
  const { sight = suite.text } = suite.definition;
  const settings = judged === undefined ? undefined : settingsOf(judged.judge);
  const judge =
    judged === undefined || settings === undefined || settings === 'not asked'
      ? null
      : judgeVersion(suite.criteria, { name, judged }, settings);
  return hashOf([suite.scope, name, definition, sight, judge]);
}

/** Text of a suite whose source is not at hand. */
export function textOfCode(suite: Suite): string {
  const seen = new WeakSet<object>();
  return JSON.stringify(suite, (_, value: unknown) => {
    if (typeof value === 'function') return String(value);
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value !== 'object' || value === null) return value;
    if (seen.has(value)) return null;
    seen.add(value);
    return value;
  });
}

/** Sentences about suites in shadow whose evaluations look like those of the live one. */
export function sameVersions(live: readonly CompiledSuite[], shadows: readonly CompiledSuite[]): readonly string[] {
  return shadows.flatMap(({ name, version, text, file }) => {
    const beside = live.find((suite) => suite.name === name);
    if (beside === undefined || beside.version !== version || beside.text === text) return [];
    return [
      `${file}: the suite in shadow is ${name}@${version}, as is the live one in ${beside.file}, and says something else: give it a \`version\` of its own`,
    ];
  });
}

function hashOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, VERSION_LENGTH);
}
