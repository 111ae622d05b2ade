/** Both spools read what was appended, wherever it lies. */
import { expect, test } from 'vitest';
import { MemorySpool, RecordingLog } from '../../src/engine/recorded/recording-log.ts';

test.each([
  ['a file', () => new RecordingLog()],
  ['memory', () => new MemorySpool()],
])('in %s, what is read may begin and end in any batch', (_, open) => {
  const spool = open();
  try {
    const texts = ['one', 'two', 'threefold', 'x'];
    const positions = texts.map((text) => {
      const bytes = Buffer.from(text);
      return spool.append({ signal: 'traces', bytes, table: new Uint8Array(), logTime: 0 }).position;
    });
    const all = texts.join('');

    expect(positions).toEqual([0, 3, 6, 15]);
    for (let from = 0; from < all.length; from += 1) {
      for (let to = from; to <= all.length; to += 1) {
        expect(Buffer.from(spool.read(from, to - from)).toString()).toBe(all.slice(from, to));
      }
    }
    expect(() => spool.read(10, 7)).toThrow('past the end');
  } finally {
    spool.close();
  }
});
