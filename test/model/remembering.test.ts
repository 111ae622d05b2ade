import { expect, test } from 'vitest';
import { remembering } from '../../src/model/remembering.ts';

test('each name is worked out once, unless there are too many or it is too long', () => {
  const asked: string[] = [];
  const lengthOf = remembering((name) => {
    asked.push(name);
    return name.length;
  }, 2);
  const long = 'x'.repeat(201);

  for (const name of ['a', 'bb', 'ccc', long])
    for (let time = 0; time < 2; time += 1) expect(lengthOf(name)).toBe(name.length);

  expect(asked).toEqual(['a', 'bb', 'ccc', 'ccc', long, long]);
});
