/** JSON as a text to compare by. */
import { isList, type Json } from '../../model/json.ts';

const DEPTH_MAX = 100;

/**
 * Equal for values that are equal as JSON, and for no others: a text has its length before it, so that none needs to be
 * escaped, and keys are in order.
 */
export function canonicalJson(value: Json, depth = 0): string {
  if (typeof value === 'string') return `${value.length}"${value}`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (depth > DEPTH_MAX) return '…';
  let text = '';
  if (isList(value)) {
    for (const element of value) text += `${canonicalJson(element, depth + 1)},`;
    return `[${text}]`;
  }
  const keys = Object.keys(value);
  // Sorting makes garbage, and most emitters write the keys of one tool in one order.
  if (!isInOrder(keys)) keys.sort();
  for (const key of keys) text += `${key.length}"${key}:${canonicalJson(value[key] ?? null, depth + 1)},`;
  return `{${text}}`;
}

function isInOrder(keys: readonly string[]): boolean {
  for (let at = 1; at < keys.length; at++) if ((keys[at - 1] ?? '') > (keys[at] ?? '')) return false;
  return true;
}
