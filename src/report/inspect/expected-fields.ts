/**
 * Compares what was read of spans with what their author expects, field by field. An expectation has the fields of
 * `reader/plain-conversation.ts` that it is about, and leaves the others out. Arguments, results, state and truth are
 * compared as wholes. A list is compared by place; calls that have an id, by their id.
 */
import { isDeepStrictEqual } from 'node:util';
import { isMapping, type Json } from '../../model/json.ts';

export interface ComparedField {
  /** `[0].turns[1].tool_calls[0].name` */
  readonly field: string;
  /** `missing`: nothing was read where something is expected. `unknown`: no conversation has such a field. */
  readonly is: 'right' | 'wrong' | 'missing' | 'unknown';
  readonly expected: Json;
  readonly found: Json;
}

const WHOLES: ReadonlySet<string> = new Set(['args', 'result', 'state', 'truth']);

export function comparedFields(expected: Json, found: Json | undefined, field = ''): readonly ComparedField[] {
  if (Array.isArray(expected) && Array.isArray(found)) {
    const pairs = expected.map((one: Json, place) => [one, partnerOf(one, found, place)] as const);
    const size = compared(`${field}.length`, expected.length, found.length);
    return [size, ...pairs.flatMap(([one, other], place) => comparedFields(one, other, `${field}[${place}]`))];
  }
  if (!isMapping(expected) || !isMapping(found)) return [compared(field, expected, found ?? null)];
  return Object.entries(expected).flatMap(([name, value]) => {
    const place = field === '' ? name : `${field}.${name}`;
    if (!Object.hasOwn(found, name)) return [{ field: place, is: 'unknown', expected: value, found: null } as const];
    const other = found[name] ?? null;
    return WHOLES.has(name) ? [compared(place, value, other)] : comparedFields(value, other, place);
  });
}

function compared(field: string, expected: Json, found: Json): ComparedField {
  const isRight = isDeepStrictEqual(expected, found);
  return { field, is: isRight ? 'right' : found === null ? 'missing' : 'wrong', expected, found };
}

function partnerOf(expected: Json, found: readonly Json[], place: number): Json | undefined {
  const id = isMapping(expected) ? (expected.id ?? expected.conversation_id) : undefined;
  if (typeof id !== 'string') return found[place];
  return found.find((one) => isMapping(one) && (one.id ?? one.conversation_id) === id) ?? found[place];
}
