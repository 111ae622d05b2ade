/**
 * Conversations whose end is marked: their first evaluation covers all turns that had begun by then, in whatever order
 * they close.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadSuites } from '../../src/score/load-suites.ts';
import { randomFrom, shuffled } from '../random.ts';
import { exportRequest, type TrafficSpan } from '../simulation/traffic.ts';
import { tempDirectory } from '../temp-directory.ts';
import { BUILTIN, defaultSettings, LogDriver } from './log-driver.ts';
import { smallTurn } from './small-turn.ts';

const SECOND = 1000;
const { settleMs: SETTLE, idleMs: TURN_IDLE, maxAgeMs: TURN_MAX_AGE } = defaultSettings().turn;
const { idleMs: IDLE } = defaultSettings().conversation;

/** Reports how many turns each evaluation saw. */
const SUITE = `
suite: whole
version: "1"
scope: conversation
criteria:
${[1, 2, 3, 4].map((count) => `  - { name: turns_${count}, question: Are there ${count} turns?, weight: 0.25, check: size(turns) >= ${count} }`).join('\n')}
`;

async function driver() {
  const directory = tempDirectory();
  const file = path.join(directory, 'whole.yaml');
  writeFileSync(file, SUITE);
  const { suites, mistakes } = await loadSuites([file], { baseDir: directory, builtinDir: BUILTIN });
  if (mistakes.length > 0) throw new Error(JSON.stringify(mistakes));
  const log = new LogDriver({ directory, suites });
  return {
    log,
    send: (at: number, ...spans: readonly TrafficSpan[]) => log.take({ at, request: exportRequest(spans, 'v1') }),
    /** The revision of each evaluation and the turns that it saw, by the log time reached. */
    seen: (conversation = 'c1') =>
      log.evaluationsOf(conversation).map(({ revision, verdicts }) => ({
        revision,
        turns: [...verdicts.values()].filter(({ verdict }) => verdict === 'pass').length,
      })),
  };
}

const part = (trace: string, options: { readonly end?: boolean; readonly conversation?: string } = {}) => {
  const { root, chat } = smallTurn(trace, { conversation: 'c1', ...options });
  return [chat, root];
};

const WHOLE = [{ revision: 1, turns: 3 }];

test('an end mark that comes first waits for turns that came moments later', async () => {
  const { log, send, seen } = await driver();
  send(1000, ...part('e1', { end: true }));
  send(1005, ...part('a1'));
  send(1900, ...part('b1'));

  log.advance(1900 + SETTLE - 1);
  expect(seen()).toEqual([]);
  log.advance(1900 + SETTLE);
  expect(seen()).toEqual(WHOLE);
});

test('turns that close at the moment of the end are part of it', async () => {
  const { log, send, seen } = await driver();
  send(1000, ...part('e1', { end: true }), ...part('a1'), ...part('f1'));

  log.advance(1000 + SETTLE);

  expect(seen()).toEqual(WHOLE);
});

test('a conversation that is complete when its end closes waits for nothing, whatever else is open', async () => {
  const { log, send, seen } = await driver();
  send(1000, ...part('a1'));
  send(1000, ...part('b1'));
  send(2000, ...part('e1', { end: true }));
  send(2500, ...part('f1', { conversation: 'another' }));

  log.advance(2000 + SETTLE);

  expect(seen()).toEqual(WHOLE);
});

test('an end waits for a turn that goes on for long', async () => {
  const { log, send, seen } = await driver();
  send(1000, ...part('a1').slice(0, 1));
  send(2000, ...part('b1'));
  send(3000, ...part('e1', { end: true }));

  log.advance(1000 + TURN_IDLE - 1);
  expect(seen()).toEqual([]);
  log.advance(1000 + TURN_IDLE);
  expect(seen()).toEqual(WHOLE);
});

test('an end does not wait for a turn that began after it', async () => {
  const { log, send, seen } = await driver();
  send(1000, ...part('a1'));
  send(2000, ...part('b1'));
  send(3000, ...part('e1', { end: true }));
  send(3000 + SETTLE + 1, ...part('d1'));

  log.advance(3000 + SETTLE + 1);
  expect(seen()).toEqual(WHOLE);
  log.advance(3001 + SETTLE * 2 + IDLE);
  expect(seen()).toEqual([...WHOLE, { revision: 2, turns: 4 }]);
});

test('an end waits for a turn even if another has begun meanwhile, and then for that no more', async () => {
  const { log, send, seen } = await driver();
  const [slow = [], slowEnd = []] = [part('a1').slice(0, 1), part('a1').slice(1)];
  send(1000, ...slow);
  send(1001, ...part('e1', { end: true }));
  send(30_000, ...part('d1').slice(0, 1));
  send(31_000, ...slowEnd);

  log.advance(31_000 + SETTLE);

  expect(seen()).toEqual([{ revision: 1, turns: 2 }]);
});

test('what comes twice holds an end up until it is known to be that, and changes nothing', async () => {
  const { log, send, seen } = await driver();
  send(1000, ...part('a1'));
  send(1000, ...part('b1'));
  send(1000 + SETTLE, ...part('e1', { end: true }));
  send(1000 + 2 * SETTLE - 1, ...part('a1'));

  log.advance(1000 + 2 * SETTLE);
  expect(seen()).toEqual([]);
  log.advance(1000 + 3 * SETTLE);
  expect(seen()).toEqual(WHOLE);
});

test('an end waits for a trace without an agent that names its conversation, and for no longer', async () => {
  const { log, send, seen } = await driver();
  const [web] = part('fe').map((span) => ({
    ...span,
    attributes: span.attributes.filter(({ key }) => key === 'gen_ai.conversation.id'),
  }));
  send(1000, ...part('a1'), ...part('b1'), ...part('e1', { end: true }));
  if (web !== undefined) send(1500, { ...web, name: 'GET /', spanId: 'ab'.repeat(8) });

  log.advance(1000 + SETTLE);
  expect(seen()).toEqual([]);
  log.advance(1500 + TURN_IDLE);
  expect(seen()).toEqual(WHOLE);
});

test('an end waits no longer than a turn can be open', async () => {
  const { log, send, seen } = await driver();
  send(1000, ...part('e1', { end: true }));
  // Its root names another conversation, so the turn belongs to that one.
  const [chat] = part('a1');
  const [, root] = part('a1', { conversation: 'another' });
  if (chat !== undefined && root !== undefined) send(1001, chat, root);

  log.advance(1000 + SETTLE + TURN_MAX_AGE - 1);
  expect(seen()).toEqual([]);
  log.advance(1000 + SETTLE + TURN_MAX_AGE);
  expect(seen()).toEqual([{ revision: 1, turns: 1 }]);
});

const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
const CONVERSATIONS = 60;

/**
 * Conversations of two to four turns, each with its spans in one or two records within a settle time of one another.
 */
function drawn(random: () => number) {
  const sent: { readonly at: number; readonly spans: readonly TrafficSpan[] }[] = [];
  const turnsOf = new Map<string, number>();
  for (let number = 0; number < CONVERSATIONS; number += 1) {
    const conversation = `c${number}`;
    const turns = 2 + Math.floor(random() * 3);
    turnsOf.set(conversation, turns);
    const from = Math.floor(random() * 60) * SECOND;
    const ends = Math.floor(random() * turns);
    for (let turn = 0; turn < turns; turn += 1) {
      const trace = `${(number * 16 + turn + 1).toString(16).padStart(8, '0')}`;
      const spans = part(trace, { conversation, end: turn === ends });
      const at = from + Math.floor(random() * (SETTLE / 2));
      if (random() < 0.5) sent.push({ at, spans });
      else
        for (const [index, span] of shuffled(spans, random).entries())
          sent.push({ at: at + index * 2000, spans: [span] });
      if (random() < 0.1) sent.push({ at: at + Math.floor(random() * 20_000), spans });
    }
  }
  return { sent: sent.toSorted((a, b) => a.at - b.at), turnsOf };
}

test.each([7, SEED])(
  'turns that come at once give whole first evaluations, also after crashes (seed %i)',
  async (seed) => {
    const random = randomFrom(seed);
    const { sent, turnsOf } = drawn(random);
    const { log, send, seen } = await driver();
    for (const { at, spans } of sent) {
      send(at, ...spans);
      if (random() < 0.1) log.commit();
      if (random() < 0.05) log.crash();
    }

    // No conversation is left to the idle timeout.
    log.advance((sent.at(-1)?.at ?? 0) + TURN_IDLE);

    for (const [conversation, turns] of turnsOf) {
      expect(seen(conversation), `${conversation}, seed ${seed}`).toEqual([{ revision: 1, turns }]);
    }
  },
);
