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
    { label: 'segment', agent: 'a' },
    { label: 'segment', agent: 'a' },
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
