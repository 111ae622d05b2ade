import { expect, test } from 'vitest';
import { DIALECTS } from '../../src/normalize/dialects.ts';
import { Draft, GUARDS_MAX } from '../../src/normalize/draft.ts';

test('there are guards for all keys that finders read and dialects are marked by', () => {
  const keys = DIALECTS.flatMap((dialect) => [
    dialect.marker,
    ...[dialect.messagesIn, dialect.messagesOut, dialect.systemInstructions, dialect.input, dialect.output].flatMap(
      (finders) => finders?.map(({ key }) => key),
    ),
    ...[dialect.toolArgs, dialect.toolResult, dialect.error].flatMap((finders) => finders?.map(({ key }) => key)),
  ]);

  expect(new Set(keys.filter((key) => key !== undefined)).size).toBeLessThanOrEqual(GUARDS_MAX);
});

test('each guard is one of its own', () => {
  for (let guard = 0; guard < GUARDS_MAX; guard++) {
    const draft = new Draft(undefined);
    draft.note(guard);
    const noted = Array.from({ length: GUARDS_MAX }, (_, at) => at).filter((at) => draft.noted(at));

    expect(noted).toEqual([guard]);
  }
});
