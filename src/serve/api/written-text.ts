/** A text that somebody writes through the API. */
import { z } from 'zod';
import { text } from '../../api/shapes.ts';
import { KIND_CHARACTERS_MAX, kindName } from '../../model/named-kinds.ts';

const KIND_WRITTEN_MAX = 1000;

/** A text that is shown as a name: on a terminal, in a table, in a file's column. */
export const name = (max: number) =>
  text(max).refine(
    (given) => !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(given),
    'a name without control characters',
  );

/** A kind of failure: of several spaces, tabs and line ends one space is left, which is no mistake. */
export const kind = z
  .string('a text')
  .max(KIND_WRITTEN_MAX, `at most ${KIND_CHARACTERS_MAX} characters`)
  .transform(kindName)
  .pipe(name(KIND_CHARACTERS_MAX));
