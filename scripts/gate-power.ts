/**
 * npm run gate:power [-- --trials 200]
 *
 * The table of docs/score/release-gate.md: how often a gate passes a release that is no worse, by the number of cases,
 * the runs of each, the rules, and how reliable the agent is. Every gate is decided by `decideGate` over simulated
 * experiments (`src/statistics/compare/gate/agent-model.ts`).
 */
import { parseArgs } from 'node:util';
import { tryAgent } from '../src/statistics/compare/gate/agent-model.ts';
import { decideGate } from '../src/statistics/compare/gate/decide-gate.ts';
import { readGate } from '../src/statistics/compare/gate/read-gate.ts';
import { randomFrom } from '../src/model/random.ts';
import { agentOf } from '../test/statistics/compare/gate/seen-agent.ts';

const AGENTS = [
  { called: 'never fails', rate: 1, agreement: 1 },
  { called: '98 % succeed, by chance', rate: 0.98, agreement: 0 },
  { called: '85 % succeed, mostly by case', rate: 0.85, agreement: 0.8 },
  { called: '85 % succeed, by chance', rate: 0.85, agreement: 0 },
];
const SIZES = [30, 60, 100, 200, 400];
const GATES = {
  'one rule of 5 points': 'rules: { tcr: { max_drop: 5 points } }',
  'four rules':
    'rules: { tcr: { max_drop: 5 points }, success_rate: { max_drop: 5% of baseline }, criteria: { max_drop: 10 points } }',
};

const { values } = parseArgs({ options: { trials: { type: 'string', default: '200' } } });
const trials = Number(values.trials);

process.stdout.write(`| agent | rules | runs of each case | ${SIZES.join(' | ')} |\n`);
process.stdout.write(`|---|---|---|${SIZES.map(() => '---').join('|')}|\n`);
for (const { called, rate, agreement } of AGENTS)
  for (const [rules, text] of Object.entries(GATES))
    for (const repeats of [1, 5]) {
      const shares = SIZES.map((cases) => `${Math.round(100 * passing({ rate, agreement, text, cases, repeats }))} %`);
      process.stdout.write(`| ${called} | ${rules} | ${repeats} | ${shares.join(' | ')} |\n`);
    }

function passing(options: {
  readonly rate: number;
  readonly agreement: number;
  readonly text: string;
  readonly cases: number;
  readonly repeats: number;
}): number {
  const seen = agentOf({ cases: 1000, repeats: 1, rate: options.rate, sure: 1 });
  const { gate } = readGate(options.text, 'gate.yaml', seen.experiment.suites);
  if (gate === undefined) throw new Error('the rules of this script are mistaken');
  const random = randomFrom(1);
  let passed = 0;
  for (let trial = 0; trial < trials; trial += 1) {
    const pair = tryAgent(seen, { ...options, lost: 0 }, random);
    if (decideGate({ ...pair, gate, warnings: [] }).decision === 'pass') passed += 1;
  }
  return passed / trials;
}
