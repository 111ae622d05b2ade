/** A suite as an experiment remembers it: enough to read its evaluations when the suite is gone, and to know whether it is the same one. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ExperimentSuite } from '../../model/experiment.ts';
import { goldenIdsOf } from '../../engine/suite-outline.ts';
import type { CompiledSuite } from '../../score/suite/suite.ts';

/** `baseDir`: what the suite's file is relative to. */
export function experimentSuite(suite: CompiledSuite, baseDir: string): ExperimentSuite {
  const file = readFileSync(path.resolve(baseDir, suite.file));
  return {
    name: suite.name,
    version: suite.version,
    fingerprint: createHash('sha256').update(file).digest('hex'),
    scope: suite.scope,
    golden: goldenIdsOf(suite),
    criteria: suite.criteria.map(({ name, question, weight, capsAt, whenNotApplicable }) => ({
      name,
      question,
      weight,
      isCritical: capsAt !== undefined,
      whenNotApplicable,
    })),
  };
}
