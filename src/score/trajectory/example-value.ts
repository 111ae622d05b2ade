/** A value that an argument of a golden trace should match, for an example of a run. Callers make sure that it does. */
import type { Json } from '../../model/json.ts';

const DEPTH_MAX = 20;

/** Undefined where none comes to mind: an expression says what holds of a value, and not which. */
export function exampleOf(written: unknown, depth = 0): Json | undefined {
  if (depth > DEPTH_MAX) return undefined;
  if (typeof written === 'string') return exampleText(written);
  if (typeof written !== 'object' || written === null) return scalar(written);
  if (Array.isArray(written)) return wholeList(written, depth);
  const members = new Map<string, unknown>(Object.entries(written));
  if (members.has('$exact')) return asWritten(members.get('$exact'));
  if (members.has('$near')) return exampleOf(members.get('$near'), depth + 1);
  if (members.has('$any')) return 'any';
  if (members.has('$subset')) return exampleOf(members.get('$subset'), depth + 1);
  if ([...members.keys()].some((key) => key.startsWith('$'))) return undefined;
  const examples: [string, Json][] = [];
  for (const [key, member] of members) {
    const example = exampleOf(member, depth + 1);
    if (example === undefined) return undefined;
    examples.push([key, example]);
  }
  return Object.fromEntries(examples);
}

/** The open part of a glob is a number. */
export function exampleText(glob: string): string {
  return glob.replaceAll('*', '1001').replaceAll('?', '1');
}

function wholeList(list: readonly unknown[], depth: number): Json | undefined {
  const examples = list.map((element) => exampleOf(element, depth + 1));
  return examples.every((example) => example !== undefined) ? examples : undefined;
}

/** The casts hold: what YAML gives is JSON here. */
function asWritten(written: unknown): Json {
  return written as Json;
}

function scalar(written: unknown): Json | undefined {
  return written === undefined ? undefined : asWritten(written);
}
