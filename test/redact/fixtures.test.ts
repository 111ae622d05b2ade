/**
 * False alarms of the default patterns in every text of the checked-in fixtures: what frameworks really export, from whole
 * bodies to single strings of JSON within JSON.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { BY_DEFAULT, textRedactor } from './redacting.ts';

const FOLDER = path.resolve(import.meta.dirname, '../fixtures');
const NESTED_MAX = 4;

function* textsOf(value: unknown, depth = 0): Generator<string> {
  if (typeof value === 'string') {
    yield value;
    if (depth < NESTED_MAX && /^\s*[[{]/.test(value)) yield* textsOf(tryParse(value), depth + 1);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      yield key;
      yield* textsOf(item, depth);
    }
  }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Cut, or no JSON after all.
  }
}

test('in the texts of the fixtures, less than one in ten thousand is taken for a secret', () => {
  const redact = textRedactor(BY_DEFAULT);
  const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
  const taken = new Set<string>();
  const texts = new Set<string>();
  let count = 0;

  for (const name of names) {
    const body = readFileSync(path.join(FOLDER, name), 'utf8');
    // Some were cut on purpose.
    for (const text of textsOf(tryParse(body) ?? body)) {
      count += 1;
      texts.add(text);
    }
  }
  for (const text of texts) if (redact(text) !== text) taken.add(text);

  expect(count).toBeGreaterThan(200_000);
  expect(texts.size).toBeGreaterThan(10_000);
  expect([...taken].map((text) => text.slice(0, 200))).toEqual([]);
}, 60_000);
