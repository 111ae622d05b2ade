/** A small run; `npm run fuzz-dialects -- --requests 100000` is the full size. */
import { expect, test } from 'vitest';
import { fuzzDialects } from './fuzzing.ts';

test('no dialect throws or takes long, whatever its attributes hold', async () => {
  const { requests, findings } = await fuzzDialects({ requests: 400, seed: 7 });

  expect(requests).toBe(400);
  expect(findings).toEqual([]);
});
