/** A text that somebody writes through the API. */
import { z } from 'zod';

/** Half a character can't be stored, and nobody means one. */
export const text = (max: number) =>
  z
    .string('a text')
    .min(1, 'a text that is not empty')
    .max(max, `at most ${max} characters`)
    .transform((given) => given.toWellFormed());
