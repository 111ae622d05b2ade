/** The shipped rules, by both lines of Prometheus: every alert fires when it should and only then. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BUILT_WITHIN_MS, LINES, type PrometheusBinaries, prometheusBinaries } from '../prometheus-binaries.ts';
import { isInShare } from '../../share-of-round.ts';
import { RuleCases } from './rule-case.ts';
import { ANNOTATION_CASES } from './cases/annotations.ts';
import { ESTIMATE_CASES } from './cases/estimate.ts';
import { FALL_CASES } from './cases/falls.ts';
import { DETECTOR_CASES, HEALTH_CASES } from './cases/health.ts';
import { NOISE_CASES } from './cases/noise.ts';
import { OBJECTIVE_CASES } from './cases/objectives.ts';
import { TCR_CASES } from './cases/tcr.ts';
import { EFFICIENCY_CASES, VERSION_CASES } from './cases/versions-and-efficiency.ts';

const RULES = path.resolve(import.meta.dirname, '../../../../deploy/prometheus/assay.rules.yml');
const CASES = [
  ...TCR_CASES,
  ...FALL_CASES,
  ...VERSION_CASES,
  ...EFFICIENCY_CASES,
  ...NOISE_CASES,
  ...OBJECTIVE_CASES,
  ...DETECTOR_CASES,
  ...HEALTH_CASES,
  ...ESTIMATE_CASES,
  ...ANNOTATION_CASES,
];

describe.each(LINES)('Prometheus %s', (line) => {
  // One line at one commit, the other at the next: they take minutes of processor each, and hardly ever differ.
  const shown = CASES.filter((_, number) => isInShare(number + LINES.indexOf(line), LINES.length));
  const directory = mkdtempSync(path.join(tmpdir(), 'assay-rules-'));
  let binaries: PrometheusBinaries;
  let cases: RuleCases;
  beforeAll(async () => {
    binaries = await prometheusBinaries(line);
    cases = new RuleCases(binaries.promtool, shown, directory);
  }, BUILT_WITHIN_MS);
  afterAll(async () => {
    await cases?.ended();
    rmSync(directory, { recursive: true });
  }, BUILT_WITHIN_MS);

  test('the rules are in order', async () => {
    const { stdout } = await promisify(execFile)(binaries.promtool, ['check', 'rules', RULES]);

    expect(stdout).toMatch(/SUCCESS: \d+ rules found/);
  });

  test.for(shown)('$name', async (ruleCase) => {
    expect(await cases.objection(ruleCase)).toBeUndefined();
  });
});
