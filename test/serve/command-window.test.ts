import { expect, test } from 'vitest';
import { CommandWindow } from '../../src/serve/scoring/command-window.ts';

interface Command {
  readonly sequence: number;
  readonly lane: number;
}

function windowOf(count: number) {
  const sent: number[] = [];
  const window = new CommandWindow<Command>(({ sequence }) => sent.push(sequence));
  for (let index = 0; index < count; index += 1) window.push({ sequence: window.nextSequence(), lane: index % 2 });
  return { window, sent };
}

test('commands go in order, so many at a time, and the next ones when those are answered', () => {
  const { window, sent } = windowOf(5000);

  window.pump();
  expect(sent).toHaveLength(512);
  expect(window.answered(500).map(({ sequence }) => sequence)).toEqual(sent.slice(0, 500));
  for (let answered = 512; window.length > 0; answered += 400) {
    window.pump();
    window.answered(answered);
  }

  expect(sent).toEqual(Array.from({ length: 5000 }, (_, index) => index + 1));
  expect(window.stalledMs).toBe(0);
});

test('what was sent and not answered is sent again', () => {
  const { window, sent } = windowOf(3);
  window.pump();
  window.answered(1);

  window.push({ sequence: window.nextSequence(), lane: 0 });
  window.takeBack();
  expect(window.first?.sequence).toBe(2);
  expect(window.waiting).toBe(3);
  window.pump();

  expect(sent).toEqual([1, 2, 3, 2, 3, 4]);
});

test('large ones are few at a time, one at least', () => {
  const sent: number[] = [];
  const window = new CommandWindow<Command & { readonly bytes: number }>(({ sequence }) => sent.push(sequence));
  for (const megabytes of [100, 40, 40, 1]) {
    window.push({ sequence: window.nextSequence(), lane: 0, bytes: megabytes << 20 });
  }

  window.pump();
  expect(sent).toEqual([1]);
  window.answered(1);
  window.pump();
  expect(sent).toEqual([1, 2, 3]);
  window.takeBack();
  window.pump();
  expect(sent).toEqual([1, 2, 3, 2, 3]);
  window.answered(2);
  window.pump();

  expect(sent).toEqual([1, 2, 3, 2, 3, 4]);
  expect(window.hasNext).toBe(false);
});

test('who sends can stop in between, and goes on later', () => {
  const { window, sent } = windowOf(10);
  let budget = 4;

  window.pump(() => budget-- > 0);
  expect(sent).toHaveLength(4);
  expect(window.hasNext).toBe(true);
  window.pump();

  expect(sent).toHaveLength(10);
  expect(window.hasNext).toBe(false);
});

test('what waits can be replaced and taken out; what was sent can not', () => {
  const { window, sent } = windowOf(600);
  window.pump();
  const last = window.lastWaiting;
  if (last === undefined) throw new Error('nothing waits');
  window.replaceLast({ ...last, lane: 7 });

  expect(window.removeWaiting(({ lane }) => lane === 0)).toHaveLength(44);
  expect(window.findLastSent(({ lane }) => lane === 0)?.sequence).toBe(511);
  expect(window.waiting).toBe(44);
  window.answered(512);
  window.pump();

  expect(sent.length).toBe(512 + 44);
  expect(window.lastWaiting).toBeUndefined();
});
