import { mkdtempSync } from 'node:fs';
import { RuleCases } from '../test/outside/prometheus/rules/rule-case.ts';
import { TCR_CASES } from '../test/outside/prometheus/rules/cases/tcr.ts';
import { FALL_CASES } from '../test/outside/prometheus/rules/cases/falls.ts';
import { NOISE_CASES } from '../test/outside/prometheus/rules/cases/noise.ts';
import { ANNOTATION_CASES } from '../test/outside/prometheus/rules/cases/annotations.ts';
import { DETECTOR_CASES } from '../test/outside/prometheus/rules/cases/health.ts';
import { EFFICIENCY_CASES, VERSION_CASES } from '../test/outside/prometheus/rules/cases/versions-and-efficiency.ts';
const all = {
  TCR_CASES,
  FALL_CASES,
  NOISE_CASES,
  ANNOTATION_CASES,
  DETECTOR_CASES,
  EFFICIENCY_CASES,
  VERSION_CASES,
} as any;
const cases = process.argv[2]!.split(',')
  .flatMap((n) => all[n])
  .filter((c: any) => !process.argv[3] || new RegExp(process.argv[3]).test(c.name));
const runner = new RuleCases(process.env.PROMTOOL ?? 'promtool', cases, mkdtempSync('/tmp/rc-'));
for (const c of cases) {
  const t = Date.now();
  const o = await runner.objection(c);
  console.log(o === undefined ? 'ok  ' : 'FAIL', c.name, Math.round((Date.now() - t) / 1000));
  if (o) console.log(o.slice(0, 3000));
}
