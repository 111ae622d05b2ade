/**
 * Writes `scheduling.cases.yaml`: sixty of the example's users, with their messages, their calendars, and the ground
 * truth.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { type Scenario, scenarioOf } from '../scheduling-agent/scenarios.ts';

const CASES = 60;
const SEED = 2026;
const FILE = path.join(import.meta.dirname, 'scheduling.cases.yaml');

const counts = new Map<Scenario['name'], number>();
const cases = Array.from({ length: CASES }, (_, number) => {
  const scenario = scenarioOf(SEED, number);
  const { name, says, truth, busy, userId } = scenario;
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  const [first = '', ...rest] = says;
  // The agent under test has no calendars of its own: the first turn contains them.
  const opening = { text: first, user: userId, calendar: busy };
  return {
    id: `${name}-${String(count).padStart(2, '0')}`,
    turns: [opening, ...rest],
    truth,
    tags: count === 1 ? [name, 'smoke'] : [name],
  };
});

const head = '# Written by make-cases.ts.\n';
writeFileSync(FILE, head + stringify({ dataset: 'scheduling', version: '1', cases }, { lineWidth: 0 }));
