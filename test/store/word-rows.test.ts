/** SQLite's index of words after many changes: it is whole, and nothing that was deleted is left in it. */
import { DatabaseSync } from 'node:sqlite';
import path from 'node:path';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ConversationId } from '../../src/model/ids.ts';
import { Store } from '../../src/store/sqlite/store.ts';
import { randomFrom } from '../random.ts';
import { tempDirectory } from '../temp-directory.ts';
import { joinTurn, storeTurn } from './contract.ts';

test.each([1, 2, 3, 4])(
  'the index of words is whole after words were added and conversations went, seed %i',
  (seed) => {
    const random = randomFrom(seed);
    const file = path.join(tempDirectory(), 'assay.db');
    const store = Store.open(file, { durable: false });
    const pick = (most: number) => Math.floor(random() * most);
    let number = 0;
    for (let round = 0; round < 60; round += 1) {
      store.begin();
      for (let turn = 0; turn < 4; turn += 1) {
        number += 1;
        const conversation = `c${pick(30)}`;
        const joined = { number, conversation, at: number };
        const { row } = joinTurn(store, joined, { dueNow: 'end_marker' });
        storeTurn(store, joined, row);
        const words = Array.from({ length: 1 + pick(40) }, () => `w${pick(300).toString(36)}`);
        store.words.add(conversation as ConversationId, [`zyl${conversation}`, ...words].join(' '));
        if (pick(3) === 0) store.words.close(conversation as ConversationId);
      }
      store.commit();
      if (round % 3 !== 0) continue;
      const conversations = [`c${pick(30)}` as ConversationId];
      store.forgotten.forget({ conversations, users: [], traces: [], place: { position: number, logTime: number } });
    }
    store.forgotten.forget({
      conversations: Array.from({ length: 30 }, (_, index) => `c${index}` as ConversationId),
      users: [],
      traces: [],
      place: { position: number, logTime: number },
    });
    store.close();

    const database = new DatabaseSync(file);
    database.exec(`INSERT INTO spoken (spoken) VALUES ('integrity-check')`);
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    expect(database.prepare('SELECT count(*) AS rows FROM spoken').get()).toEqual({ rows: 0 });
    database.close();
    expect(readFileSync(file).includes('zyl')).toBe(false);
  },
);

test('conversations that end in another order than they began are indexed as one segment', () => {
  const file = path.join(tempDirectory(), 'assay.db');
  const store = Store.open(file, { durable: false });
  const ids = Array.from({ length: 30 }, (_, index) => `c${index}` as ConversationId);
  store.begin();
  for (const [index, conversation] of ids.entries())
    joinTurn(store, { number: index + 1, conversation, at: index + 1 }, { dueNow: 'end_marker' });
  for (const id of ids.toReversed()) {
    store.words.add(id, `said by ${id}`);
    store.words.close(id);
  }
  store.commit();
  store.close();

  const database = new DatabaseSync(file);
  const segments = database.prepare('SELECT count(DISTINCT segid) AS segments FROM spoken_idx').get()?.segments;
  const found = database.prepare("SELECT count(*) AS found FROM spoken WHERE spoken MATCH 'said'").get()?.found;
  database.close();
  expect([segments, found]).toEqual([1, 30]);
});
