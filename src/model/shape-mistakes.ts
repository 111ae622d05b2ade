/** Turns what zod found wrong with the shape of a value into mistakes that a person can act on. */
import type { z } from 'zod';
import { didYouMean } from './did-you-mean.ts';
import type { Mistake } from './mistake.ts';
import { formatPath, type Path, type Place } from './written-document.ts';

interface ShapeOrigin {
  readonly file: string;
  placeOf(path: Path): Place;
  placeOfKey(path: Path): Place;
}

type Issue = z.core.$ZodIssue;

/** `knownKeys` gives the fields an object at a path may have, for suggestions. */
export function shapeMistakes(
  error: z.ZodError,
  origin: ShapeOrigin,
  value: unknown,
  knownKeys: (path: Path) => readonly string[],
): readonly Mistake[] {
  return error.issues.flatMap((issue) => mistakesOf(issue, toPath(issue.path), origin, value, knownKeys));
}

function mistakesOf(
  issue: Issue,
  path: Path,
  origin: ShapeOrigin,
  value: unknown,
  knownKeys: (path: Path) => readonly string[],
): readonly Mistake[] {
  const at = (where: Path, problem: string, expected: string): Mistake => ({
    file: origin.file,
    ...origin.placeOf(where),
    path: formatPath(where),
    problem,
    expected,
  });
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => {
        const known = knownKeys(path);
        const nearest = didYouMean(key, known);
        const expected = nearest === undefined ? `one of ${known.join(', ')}` : `did you mean '${nearest}'?`;
        return { ...at([...path, key], `unknown field '${key}'`, expected), ...origin.placeOfKey([...path, key]) };
      });
    case 'invalid_value': {
      const given = valueAt(value, path);
      if (given === undefined)
        return [at(path, wrongType(given, path), `one of ${issue.values.map(String).join(', ')}`)];
      const allowed = issue.values.map(String);
      const nearest = typeof given === 'string' ? didYouMean(given, allowed) : undefined;
      const hint = nearest === undefined ? '' : `; did you mean '${nearest}'?`;
      return [at(path, `${describe(given)} is not allowed here`, `one of ${allowed.join(', ')}${hint}`)];
    }
    case 'invalid_type': {
      const given = valueAt(value, path);
      const own = issue.message.startsWith(ZOD_MESSAGE) ? undefined : issue.message;
      return [at(path, wrongType(given, path), own ?? NOUNS[issue.expected] ?? issue.expected)];
    }
    case 'invalid_union':
      return [at(path, wrongType(valueAt(value, path), path), unionOf(issue))];
    default: {
      // Our own messages say what was expected.
      return [at(path, `${describe(valueAt(value, path))} is not right`, issue.message)];
    }
  }
}

/** Message for a type without a message of its own. */
const ZOD_MESSAGE = 'Invalid input';

function wrongType(given: unknown, path: Path): string {
  if (typeof given === 'number' && !Number.isFinite(given))
    return Number.isNaN(given) ? 'it is not a number' : `it is beyond the range of numbers, ±${Number.MAX_VALUE}`;
  return given === undefined
    ? `'${String(path.at(-1) ?? 'the value')}' is missing`
    : `${describe(given)} is of the wrong type`;
}

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping of fields',
  record: 'a mapping',
};

function unionOf(issue: Extract<Issue, { code: 'invalid_union' }>): string {
  const options = issue.errors.flatMap((option) =>
    option.map((inner) => {
      if (inner.code === 'invalid_type') return NOUNS[inner.expected] ?? inner.expected;
      return inner.code === 'invalid_value' ? inner.values.map(String).join(', ') : inner.message;
    }),
  );
  return [...new Set(options)].join(' or ');
}

function describe(given: unknown): string {
  if (given === null || given === undefined) return 'nothing';
  if (Array.isArray(given)) return 'a list';
  if (typeof given === 'number') return String(given);
  return typeof given === 'object' ? 'a mapping' : JSON.stringify(given).slice(0, 80);
}

export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const part of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    at = Reflect.get(at, part);
  }
  return at;
}

function toPath(path: readonly PropertyKey[]): Path {
  return path.map((part) => (typeof part === 'symbol' ? String(part) : part));
}
