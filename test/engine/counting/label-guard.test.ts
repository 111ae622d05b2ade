import { expect, test } from 'vitest';
import { type Fold, LabelGuard } from '../../../src/engine/counting/label-guard.ts';
import { FOLDED } from '../../../src/model/agent-labels.ts';

test('the guard keeps the first label sets for good and folds what comes after', () => {
  const folded: string[] = [];
  const guard = new LabelGuard({ maxLabelValues: 2, maxSegments: 20, onFold: ({ agent }) => folded.push(agent) });
  const labels = (agent: string) => ({ agent, agent_version: '1', environment: 'e' });
  guard.remember(labels('from an earlier run'));

  const admitted = ['a', 'b', 'a', 'b', 'from an earlier run'].map((agent) => guard.admit(labels(agent)));

  expect(admitted.map(({ agent }) => agent)).toEqual(['a', 'other', 'a', 'other', 'from an earlier run']);
  expect(folded).toEqual(['b', 'b']);
  expect(admitted[1]).toBe(FOLDED);
  expect(admitted[0]).toBe(admitted[2]);
});

test('label values are one line, of bounded length, and never empty', () => {
  const guard = new LabelGuard({ maxLabelValues: 10, maxSegments: 20, onFold: () => {} });

  const { agent, agent_version, environment } = guard.admit({
    agent: 'a\n\u0007b',
    agent_version: '😀'.repeat(200),
    environment: ' ',
  });

  expect(agent).toBe('a  b');
  expect([...agent_version]).toHaveLength(100);
  expect(environment).toBe('unknown');
});

function guardOf(maxLabelValues: number, maxSegments: number) {
  const folds: Fold[] = [];
  return { guard: new LabelGuard({ maxLabelValues, maxSegments, onFold: (fold) => folds.push(fold) }), folds };
}

const labelsOf = (agent: string, segment: string, agent_version = '1') => ({
  agent,
  agent_version,
  environment: 'e',
  segment,
});

test('an agent has the segments that came first, and `other` for the rest; another agent has its own', () => {
  const { guard, folds } = guardOf(100, 2);

  const admitted = ['s1', 's2', 's3', 's1', 's4'].map((segment) => guard.admit(labelsOf('a', segment)).segment);
  const others = ['s3', 's4'].map((segment) => guard.admit(labelsOf('b', segment)).segment);

  expect(admitted).toEqual(['s1', 's2', 'other', 's1', 'other']);
  expect(others).toEqual(['s3', 's4']);
  expect(folds).toEqual([
    { label: 'segment', agent: 'a', version: '1' },
    { label: 'segment', agent: 'a', version: '1' },
  ]);
});

test('where all combinations are taken, an agent that is known keeps its name and only its segment is `other`', () => {
  const { guard, folds } = guardOf(2, 20);
  guard.admit(labelsOf('a', 's1'));
  guard.admit(labelsOf('a', 's2'));

  expect(guard.admit(labelsOf('a', 's3'))).toEqual(labelsOf('a', 'other'));
  expect(guard.admit(labelsOf('b', 's1'))).toEqual({ ...FOLDED, segment: 'other' });
  expect(folds.map(({ label }) => label)).toEqual(['segment', 'agent']);
});

test('what was folded in an earlier run is not folded again when it is revised', () => {
  const { guard, folds } = guardOf(1, 20);
  guard.admit(labelsOf('a', 's1'));

  expect(guard.admit({ ...FOLDED, segment: 'other' })).toEqual({ ...FOLDED, segment: 'other' });
  expect(folds).toEqual([]);
});

test.each<[what: string, labels: (number: number) => ReturnType<typeof labelsOf>]>([
  ['agents', (number) => labelsOf(`agent ${number}`, 's')],
  ['versions', (number) => labelsOf('a', 's', `v${number}`)],
  ['segments', (number) => labelsOf('a', `segment ${number}`)],
  ['agents that call their segment `other`', (number) => labelsOf(`agent ${number}`, 'other')],
  [
    'versions and segments of some agents',
    (number) => labelsOf(`agent ${number % 7}`, `segment ${number}`, `v${number % 37}`),
  ],
  ['all of them', (number) => labelsOf(`agent ${number % 317}`, `segment ${number}`, `v${number % 1009}`)],
])(
  'a hundred thousand hostile %s are a bounded number of combinations, and each evaluation is counted',
  (_what, labels) => {
    const { guard, folds } = guardOf(200, 20);
    const given = new Set<string>();
    let kept = 0;

    for (let number = 0; number < 100_000; number += 1) {
      const asked = labels(number);
      const admitted = guard.admit(asked);
      given.add(JSON.stringify(admitted));
      if (JSON.stringify(admitted) === JSON.stringify(asked)) kept += 1;
    }

    expect(given.size).toBeLessThanOrEqual(250 + 1);
    expect(kept + folds.length).toBe(100_000);
  },
);

test('a sender may introduce all names there is room for, and then others still a few each', () => {
  const folded: string[] = [];
  const guard = new LabelGuard({ maxLabelValues: 100, maxSegments: 20, onFold: ({ agent }) => folded.push(agent) });
  const introduce = (sender: number | undefined, count: number) =>
    Array.from({ length: count }, (_, n) => {
      const labels = { agent: `${sender} ${n}`, agent_version: '1', environment: 'e' };
      return guard.admit(labels, sender).agent;
    }).filter((agent) => agent !== 'other').length;

  expect(introduce(1, 150)).toBe(100);
  expect([2, 3].map((sender) => introduce(sender, 150))).toEqual([5, 5]);
  // Logs that do not say who sends have no part of their own.
  expect(introduce(undefined, 10)).toBe(0);
  // However many senders there are.
  const others = Array.from({ length: 50 }, (_, n) => introduce(10 + n, 5));
  expect(others.reduce((sum, count) => sum + count, 0)).toBe(40);
  expect(guard.admit({ agent: '2 0', agent_version: '1', environment: 'e' }, 1).agent).toBe('2 0');
});

const HOUR_MS = 3_600_000;

/** Admits versions of agents at hours of the log. */
function releases(maxLabelValues: number) {
  const [folds, gone]: [Fold[], string[]] = [[], []];
  const guard = new LabelGuard({
    ...{ maxLabelValues, maxSegments: 20, onFold: (fold) => folds.push(fold) },
    onGiveWay: ({ agent, agent_version }) => gone.push(`${agent} ${agent_version}`),
  });
  const admit = (agent: string, agent_version: string, hour: number, sender = 1) =>
    guard.admit({ agent, agent_version, environment: 'e' }, sender, hour * HOUR_MS).agent_version;
  return { guard, folds, gone, admit };
}

test('a release of every agent keeps its name: the longest idle version of four gives way', () => {
  const { admit, folds, gone } = releases(40);
  const agents = Array.from({ length: 10 }, (_, number) => `a${number}`);
  for (const [day, version] of ['1', '2', '3', '4', '5'].entries())
    for (const agent of agents) expect(admit(agent, version, 24 * day)).toBe(version);

  expect(folds).toEqual([]);
  expect(gone).toEqual(agents.map((agent) => `${agent} 1`));
});

test('newest three versions give way to nothing, and versions in use neither', () => {
  const { admit, folds, gone } = releases(4);
  for (const version of ['1', '2', '3', '4']) admit('a', version, 0);
  admit('a', '1', 5);

  expect(admit('b', '1', 5.5)).toBe('other');
  expect(gone).toEqual([]);
  expect(folds).toEqual([{ label: 'agent', agent: 'b', version: '1' }]);
  // Version 1 was in use until five o'clock.
  expect(admit('b', '1', 7)).toBe('1');
  expect(gone).toEqual(['a 1']);
  expect(admit('a', '1', 7.1)).toBe('other');
});

test('whoever invents versions hides none that is in use, and makes only so many others give way in a day', () => {
  const { admit, gone } = releases(20);
  for (let number = 0; number < 10; number += 1) admit(`real ${number}`, '1', 0);
  let hour = 0;
  for (let number = 0; number < 2000; number += 1) {
    hour = 0.01 * number;
    admit('real 0', `invented ${number}`, hour, 2);
    if (number % 10 === 0) for (let real = 0; real < 10; real += 1) expect(admit(`real ${real}`, '1', hour)).toBe('1');
  }

  expect(gone.every((name) => name.startsWith('real 0 invented'))).toBe(true);
  expect(gone.length).toBeLessThanOrEqual(20);
  expect(gone.length).toBeGreaterThan(0);
});

test('combinations of an earlier run are taken as just seen, and the oldest versions are known', () => {
  const { admit, guard, gone } = releases(5);
  for (const [version, first] of [
    ['new', 4],
    ['newer', 5],
    ['old', 1],
    ['older', 0],
    ['newest', 6],
  ] as const)
    guard.remember({ agent: 'a', agent_version: version, environment: 'e' }, first);

  expect(admit('b', '1', 1000)).toBe('other');
  expect(admit('a', 'newest', 1000.5)).toBe('newest');
  expect(admit('b', '1', 1001.2)).toBe('1');
  expect(gone).toEqual(['a older']);
});
