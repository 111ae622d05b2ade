/** A mistake in a request, in words: schemas have messages of their own where they need them, and zod's are for programmers. */
import type { z } from 'zod';
import { valueAt } from '../../model/shape-mistakes.ts';

const SHOWN_MAX = 80;

export function problemText(
  issue: z.core.$ZodIssue,
  { what, given }: { readonly what: 'query' | 'body'; readonly given: unknown },
): string {
  // A single object is taken as a list of one, and its author knows of no list.
  const isAlone = issue.path[0] === 0 && !Array.isArray(given);
  const path = isAlone ? issue.path.slice(1) : issue.path;
  return `${path.map(String).join('.') || what}: ${messageOf(issue, valueAt(given, path))}`;
}

function messageOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'unrecognized_keys')
    return `unknown ${issue.keys.length === 1 ? 'field' : 'fields'} ${issue.keys.map(shown).join(', ')}`;
  const isOwn = !/^(?:Invalid|Too (?:small|big))/.test(issue.message);
  if (value === undefined && issue.code !== 'custom')
    return isOwn ? `it is missing; expected ${issue.message}` : 'it is missing';
  if (isOwn) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return `${shown(value)} is not ${NOUNS[issue.expected] ?? `of the type ${issue.expected}`}`;
    case 'invalid_value':
      return `${shown(value)} is not one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return `${shown(value)} is too small: at least ${issue.minimum}${issue.inclusive === false ? ', and more' : ''}`;
    case 'too_big':
      return `${shown(value)} is too large: at most ${issue.maximum}`;
    default:
      return issue.message;
  }
}

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = typeof value === 'string' ? value : String(value);
  return `'${text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX - 1).toWellFormed()}…` : text}'`;
}
