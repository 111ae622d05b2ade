/** The order of many agents, and the sentence about each. */
import { expect, test } from 'vitest';
import { type FleetChange, fleetSentence, harmPerHour, rankedByHarm } from '../../src/model/fleet.ts';

const HOUR_MS = 3_600_000;

test('harm is failures an hour, a hard one three times a graceful one, and good outcomes do none', () => {
  const outcomes = new Map([
    ['successful_completion', 100],
    ['handed_over', 7],
    ['unscored', 9],
    ['graceful_failure', 4],
    ['partial_failure', 2],
    ['hard_failure', 4],
  ] as const);

  expect(harmPerHour(outcomes, 2)).toBe((4 + 2 * 2 + 3 * 4) / 2);
  expect(harmPerHour(new Map(), 24)).toBe(0);
});

test('most harm comes first, then more alarms, then the name, and a few failures do little harm', () => {
  const few = harmPerHour(new Map([['hard_failure', 3]]), 24);
  const many = harmPerHour(new Map([['graceful_failure', 60]]), 24);
  const given = [
    { agent: 'all of three', harm: few, alarms: 0 },
    { agent: 'b', harm: 0, alarms: 0 },
    { agent: 'a', harm: 0, alarms: 0 },
    { agent: 'z', harm: 0, alarms: 1 },
    { agent: 'a tenth of 600', harm: many, alarms: 0 },
  ];

  expect(rankedByHarm(given).map(({ agent }) => agent)).toEqual(['a tenth of 600', 'all of three', 'z', 'a', 'b']);
});

const change = (word: FleetChange['word'], later: number[], earlier: number[]): FleetChange => ({
  word,
  later: { failed: later[0] ?? 0, of: later[1] ?? 0 },
  earlier: { failed: earlier[0] ?? 0, of: earlier[1] ?? 0 },
});
const TOLD = {
  about: 'task',
  scope: 'conversation',
  windowMs: 24 * HOUR_MS,
  evaluations: { later: 120, earlier: 118 },
  change: change('no_difference_shown', [14, 120], [12, 118]),
  newest: undefined,
  alarms: { count: 0, agoMs: undefined },
} as const;
const WORSE = change('worse', [14, 120], [4, 118]);
const SINCE = { ...WORSE, version: '2.1.0', agoMs: 3.5 * HOUR_MS };

test.each([
  ['a version that is worse', { newest: SINCE }, 'Worse since 2.1.0, 3 h ago: 14 of 120 failed, 4 of 118 before'],
  ['a window that is worse', { change: WORSE }, 'Worse than in the 24 h before: 14 of 120 failed, 4 of 118 then'],
  ['both', { change: WORSE, newest: SINCE }, 'Worse since 2.1.0, 3 h ago: 14 of 120 failed, 4 of 118 before'],
  [
    'what is worse before what is better',
    { change: WORSE, newest: { ...SINCE, word: 'better' } },
    'Worse than in the 24 h before: 14 of 120 failed, 4 of 118 then',
  ],
  [
    'faults of a suite about form',
    { about: 'form', newest: { ...SINCE, word: 'more_faults' } },
    'More faults since 2.1.0, 3 h ago: 14 of 120 with a fault, 4 of 118 before',
  ],
  ['nothing clear', {}, 'No clear change: 14 of 120 failed, 12 of 118 before'],
  ['few', { change: change('not_enough_evidence', [2, 5], [1, 4]) }, 'Too few to tell: 2 of 5 failed, 1 of 4 before'],
  [
    'nothing before',
    { change: change('not_enough_evidence', [2, 50], []) },
    'New: 2 of 50 failed, nothing in the 24 h before',
  ],
  [
    'none that was good or bad',
    { change: change('not_enough_evidence', [], [1, 4]), evaluations: { later: 1, earlier: 4 } },
    'Not known: 1 conversation, none of them good or bad',
  ],
  [
    'none at all',
    { scope: 'turn', evaluations: { later: 0, earlier: 118 }, windowMs: 7 * 24 * HOUR_MS },
    'Silent: no turn in 7 days, 118 turns in the 7 days before',
  ],
  [
    'an alarm',
    { alarms: { count: 1, agoMs: 90 * 60_000 } },
    'No clear change: 14 of 120 failed, 12 of 118 before; an alarm for 90 min',
  ],
  [
    'alarms',
    { alarms: { count: 2, agoMs: 50 * HOUR_MS } },
    'No clear change: 14 of 120 failed, 12 of 118 before; 2 alarms for 2 days',
  ],
  [
    'an alarm of unknown age',
    { newest: SINCE, alarms: { count: 1, agoMs: undefined } },
    'Worse since 2.1.0, 3 h ago: 14 of 120 failed, 4 of 118 before; an alarm',
  ],
] as const)('a sentence says how an agent stands: %s', (_, changes, sentence) => {
  expect(fleetSentence({ ...TOLD, ...changes })).toBe(sentence);
});
