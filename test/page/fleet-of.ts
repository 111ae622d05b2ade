/** An answer of `/api/v1/fleet` with many agents, of every standing. */
import type { Fleet, FleetAgent } from '../../src/api/fleet.ts';

export const UNTIL = '2026-11-28T00:00:00.000Z';

const STANDINGS = [
  { word: 'worse', sentence: 'Worse since 2.1.0, 3 h ago: 214 of 1120 failed, 44 of 1118 before', alarms: 0 },
  { word: 'no_difference_shown', sentence: 'No clear change: 96 of 1120 failed, 92 of 1118 before', alarms: 0 },
  {
    word: 'worse',
    sentence: 'Worse than in the 24 h before: 90 of 900 failed, 12 of 880 then; 2 alarms for 2 h',
    alarms: 2,
  },
  { word: 'better', sentence: 'Better since 3.0.0-rc.1, 47 h ago: 24 of 800 failed, 80 of 790 before', alarms: 0 },
  { word: 'not_enough_evidence', sentence: 'Too few to tell: 2 of 5 failed, 1 of 4 before', alarms: 0 },
  {
    word: 'not_enough_evidence',
    sentence: 'Silent: no conversation in 24 h, 118 conversations in the 24 h before',
    alarms: 0,
  },
] as const;

export function agentAt(place: number, changes: Partial<FleetAgent> = {}): FleetAgent {
  const { word, sentence, alarms } = STANDINGS[place % STANDINGS.length] ?? STANDINGS[0];
  const isThin = word === 'not_enough_evidence';
  const isSilent = sentence.startsWith('Silent');
  const harm = 300 / (place + 1);
  return {
    agent: `agent-${String(place).padStart(4, '0')}`,
    sentence,
    suite: 'calls',
    about: 'task',
    scope: 'conversation',
    harm_per_hour: harm,
    ...(isThin ? {} : { failures_per_hour: { value: harm, low: harm * 0.8, high: harm * 1.25, n: 1120 } }),
    per_hour: isSilent ? 0 : isThin ? 0.2 : 46.7,
    ...(isThin ? {} : { score: { value: 0.81, low: 0.79, high: 0.83, n: 1120 } }),
    change: {
      word,
      later: isSilent ? { failed: 0, of: 0 } : { failed: 214, of: 1120 },
      earlier: { failed: 44, of: 1118 },
    },
    newest: { agent_version: '2.1.0', since: '2026-11-27T21:00:00.000Z' },
    alarms,
    ...changes,
  };
}

export function fleetOf(agents: readonly FleetAgent[], changes: Partial<Fleet> = {}): Fleet {
  return {
    since: '2026-11-27T00:00:00.000Z',
    until: UNTIL,
    before: '2026-11-26T00:00:00.000Z',
    agents,
    agents_left_out: 0,
    alarms_known: true,
    related: { users: 10, unnamed_share: 0 },
    ...changes,
  };
}
