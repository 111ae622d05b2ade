/**
 * npm run gate:sequential [-- --trials 200]
 *
 * The table of docs/score/release-gate.md on `assay run --until-decided`: how many cases a sequential gate takes in the
 * mean, and how often it decides, beside the gate that is asked once at the end. Then the level of both where it is
 * hardest: releases just as good as allowed. Simulated as in `scripts/gate-power.ts`.
 */
import { parseArgs } from 'node:util';
import { tryAgent } from '../src/statistics/compare/gate/agent-model.ts';
import { untilDecided } from '../src/statistics/compare/gate/plan-gate.ts';
import { planLooks } from '../src/statistics/compare/gate/plan-looks.ts';
import { readGate } from '../src/statistics/compare/gate/read-gate.ts';
import type { GateResult } from '../src/model/gate.ts';
import { randomFrom } from '../src/model/random.ts';
import { agentOf } from '../test/statistics/compare/gate/seen-agent.ts';

const AGENTS = [
  { called: 'never fails', rate: 1, agreement: 1 },
  { called: '98 % succeed, by chance', rate: 0.98, agreement: 0 },
  { called: '85 % succeed, mostly by case', rate: 0.85, agreement: 0.8 },
];
const SIZES = [100, 200, 400];
const LOST = 0.2;

const { values } = parseArgs({ options: { trials: { type: 'string', default: '200' } } });
const trials = Number(values.trials);
const out = (text: string) => process.stdout.write(`${text}\n`);

interface Asked {
  readonly rate: number;
  readonly agreement: number;
  readonly cases: number;
  readonly lost: number;
  readonly points?: number;
}

out(
  '| agent | cases | no worse: pass, at the end | until decided | in the mean | a fifth lost: regression, at the end | until decided | in the mean |',
);
out('|---|---|---|---|---|---|---|---|');
for (const { called, rate, agreement } of AGENTS)
  for (const cases of SIZES) {
    const at = (lost: number) => both({ rate, agreement, cases, lost });
    const [same, lost] = [at(0), at(LOST)];
    const cells = [
      share(same.end, 'pass'),
      share(same.looks, 'pass'),
      meanCases(same.looks),
      share(lost.end, 'regression'),
      share(lost.looks, 'regression'),
      meanCases(lost.looks),
    ];
    out(`| ${called} | ${cases} | ${cells.join(' | ')} |`);
  }
const equal = both({ rate: 0.5, agreement: 0, cases: 200, lost: 0, points: 0 });
out(
  `\nEqual, half succeed, no drop allowed: ${share(equal.looks, 'regression')} called a regression (${share(equal.end, 'regression')} at the end)`,
);
const allowed = both({ rate: 1, agreement: 0, cases: 200, lost: LOST, points: 100 * LOST });
out(`Lost exactly what is allowed: ${share(allowed.looks, 'pass')} pass (${share(allowed.end, 'pass')} at the end)`);

function both({ rate, agreement, cases, lost, points = 5 }: Asked) {
  const seen = agentOf({ cases: 1000, repeats: 1, rate, sure: 1 });
  const { gate } = readGate(`rules: { tcr: { max_drop: ${points} points } }`, 'gate.yaml', seen.experiment.suites);
  if (gate === undefined) throw new Error('the rules of this script are mistaken');
  const random = randomFrom(1);
  const pairs = Array.from({ length: trials }, () => tryAgent(seen, { cases, repeats: 1, agreement, lost }, random));
  const ending = (looks: Parameters<typeof untilDecided>[2]) => pairs.map((pair) => untilDecided(pair, gate, looks));
  return { end: ending([{ cases, share: 1 }]), looks: ending(planLooks(cases)) };
}

function share(results: readonly GateResult[], decision: GateResult['decision']): string {
  const found = results.filter((result) => result.decision === decision).length;
  return `${Number(((100 * found) / results.length).toFixed(1))} %`;
}

function meanCases(results: readonly GateResult[]): string {
  return (results.reduce((sum, { look }) => sum + (look?.cases ?? 0), 0) / results.length).toFixed(0);
}
