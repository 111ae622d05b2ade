/** Parts of the fleet, from answers of the API. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FleetAgent } from '../../src/api/fleet.ts';
import { agentsWith, fleetQueryOf } from '../../src/page/fleet/fleet.tsx';
import { FleetRow, standingOf } from '../../src/page/fleet/fleet-rows.tsx';
import { agentAt } from './fleet-of.ts';
import { markupOf, wordsOf } from './shown.tsx';

beforeEach(() => vi.stubGlobal('window', { dispatchEvent: () => true }));
afterEach(() => vi.unstubAllGlobals());

const NOW = Date.parse('2026-11-28T00:00:00Z');
const row = (changes: Partial<FleetAgent>) => (
  <FleetRow one={agentAt(1, changes)} href="/?agent=a" onFocus={() => {}} />
);

test.each([
  ['the usual time', '', 'since=24h'],
  [
    'what is chosen, and what the fleet goes by',
    'since=7d&environment=prod&suite=s&words=x',
    'since=7d&environment=prod&suite=s',
  ],
  ['a time that is too long', 'since=30d', 'since=7d'],
  [
    'a long time that has ended',
    'since=2026-01-01T00:00:00Z&until=2026-06-01T00:00:00Z',
    'since=2026-05-25T00:00:00.000Z&until=2026-06-01T00:00:00Z',
  ],
])('the fleet is asked for %s', (_, search, asked) => {
  const place = { view: 'overview', conversation: undefined, query: new URLSearchParams(search) } as const;
  const query = fleetQueryOf(place, '24h', NOW);

  expect(Object.fromEntries(query)).toEqual(Object.fromEntries(new URLSearchParams(asked)));
});

test('words find agents by name, version and sentence, all of them in any order', () => {
  const agents = [agentAt(0), agentAt(1), agentAt(2, { newest: undefined }), agentAt(3, { agent: 'Billing' })];
  const found = (words: string) => agentsWith(agents, words).map(({ agent }) => agent);

  expect(found('  ')).toHaveLength(4);
  expect(found('billing')).toEqual(['Billing']);
  expect(found('agent-000 WORSE')).toEqual(['agent-0000', 'agent-0002']);
  expect(found('alarms')).toEqual(['agent-0002']);
  expect(found('2.1.0 no clear')).toEqual(['agent-0001']);
  expect(found('nothing of this')).toEqual([]);
});

test('an alarm or a change for the worse goes before one for the better', () => {
  const change = (word: FleetAgent['change']['word']) => ({ ...agentAt(0).change, word });
  const newest = (word: FleetAgent['change']['word']) => ({ agent_version: 'v', since: '', change: change(word) });
  const standing = (changes: Partial<FleetAgent>) =>
    standingOf(agentAt(1, { change: change('no_difference_shown'), newest: undefined, ...changes }));

  expect(standing({})).toBe('same');
  expect(standing({ alarms: 1 })).toBe('fell');
  expect(standing({ change: change('more_faults'), newest: newest('better') })).toBe('fell');
  expect(standing({ newest: newest('fewer_faults') })).toBe('rose');
});

test('a figure that rests on too few is words, and one of nothing is a dash', () => {
  expect(wordsOf(row({}))).toMatch(/Failures\/h 150 \(120–188\)Conversations\/h 46\.7TCR 0\.812\.1\.0, /);
  expect(wordsOf(row({ failures_per_hour: undefined, score: undefined, per_hour: 0.01, scope: 'turn' }))).toMatch(
    /Failures\/h too fewTurns\/h < 0\.1TCR too few/,
  );
  expect(wordsOf(row({ score: { value: 1, low: 0.5, high: 1, n: 3 } }))).toContain('TCR too few');
  expect(wordsOf(row({ failures_per_hour: undefined, score: undefined, per_hour: 0 }))).toMatch(
    /Failures\/h –Conversations\/h 0\.0TCR –/,
  );
});

test('names are text, whatever they hold', () => {
  const markup = markupOf(row({ agent: '<img src=x onerror=alert(1)>', sentence: 'Worse since <b>, "now"' }));

  expect(markup).not.toMatch(/<img|since <b>/);
  expect(markup).toContain('title="Worse since &lt;b>, &quot;now&quot;"');
});
