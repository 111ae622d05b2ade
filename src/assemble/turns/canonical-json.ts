/** JSON with sorted keys, to compare what two emitters wrote about one thing. */
import { isMapping, type Json } from '../../model/json.ts';

export function canonicalJson(value: Json): string {
  return JSON.stringify(value, (_key, member: unknown) => (isMapping(member) ? sorted(member) : member));
}

function sorted(value: Record<string, unknown>): unknown {
  const copy: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value).sort()) copy[key] = value[key];
  return copy;
}
