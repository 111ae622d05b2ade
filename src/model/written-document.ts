/**
 * A YAML file as a person wrote it: its value, and where each part of it stands, so that a mistake can be named by file,
 * line and column. Suites and the configuration are both read through this.
 */
import {
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  visit,
} from 'yaml';
import { exact } from './exact-json.ts';
import type { Mistake } from './mistake.ts';

export type Path = readonly (string | number)[];

export interface Place {
  readonly line: number | undefined;
  readonly column: number | undefined;
}

export interface WrittenDocument {
  readonly file: string;
  /** Undefined where the text is no YAML at all. */
  readonly value: unknown;
  /** Mistakes of syntax. */
  readonly mistakes: readonly Mistake[];
  /** Place of the value at the path, else of its nearest ancestor. */
  placeOf(path: Path): Place;
  /** Place of the key at the path, rather than of its value. */
  placeOfKey(path: Path): Place;
  /** Place of the character with this offset in the text at the path. */
  placeInText(path: Path, offset: number): Place;
}

const ALIASES_MAX = 100;
/** Most levels, as many as the API takes of JSON. */
const LEVELS_MAX = 200;
const STACK = /call stack/;

export function readWrittenDocument(text: string, file: string): WrittenDocument {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const placeAt = (offset: number | undefined): Place => {
    if (offset === undefined) return { line: undefined, column: undefined };
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const deep = tooDeepAt(document);
  const mistakes = document.errors
    .filter(({ message }) => deep === undefined || !STACK.test(message))
    .map(
      (error): Mistake => ({
        file,
        ...placeAt(error.pos[0]),
        path: '',
        problem: error.message,
        expected: 'valid YAML',
      }),
    );
  if (deep !== undefined) {
    const expected = `at most ${LEVELS_MAX} levels`;
    mistakes.push({ file, ...placeAt(deep), path: '', problem: 'lists and mappings are nested too deeply', expected });
  }
  if (mistakes.length === 0) {
    for (const key of forbiddenKeys(document)) {
      const problem = `'${FORBIDDEN_KEY}' cannot be the name of anything`;
      mistakes.push({ file, ...placeAt(startOf(key)), path: FORBIDDEN_KEY, problem, expected: 'another name' });
    }
  }
  if (deep === undefined) keepDigits(document);
  const value = mistakes.length === 0 ? toValue(document, mistakes, file) : undefined;
  const root = document.contents;
  return {
    file,
    value,
    mistakes,
    placeOf: (path) => placeAt(startOf(nodeAt(root, path))),
    placeOfKey: (path) => placeAt(startOf(keyAt(root, path) ?? nodeAt(root, path))),
    placeInText: (path, offset) => {
      const node = nodeAt(root, path);
      return placeAt(isScalar(node) ? offsetInSource(node, text, offset) : startOf(node));
    },
  };
}

/** The offset at which it has too many levels. The parser calls itself for each, and reports that it could not go on. */
function tooDeepAt(document: ReturnType<typeof parseDocument>): number | undefined {
  const stopped = document.errors.find(({ message }) => STACK.test(message));
  if (stopped !== undefined) return stopped.pos[0];
  const open: { readonly node: unknown; readonly level: number }[] = [{ node: document.contents, level: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, level } = next;
    if (!isMap(node) && !isSeq(node)) continue;
    if (level >= LEVELS_MAX) return startOf(node);
    const items: readonly unknown[] = node.items;
    for (const item of items) {
      const inner = isPair(item) ? [item.key, item.value] : [item];
      for (const one of inner) open.push({ node: one, level: level + 1 });
    }
  }
  return undefined;
}

/** The prototype of an object: whatever copies objects drops a field of this name without a word, so that what is written under it would never hold. */
const FORBIDDEN_KEY = '__proto__';

function forbiddenKeys(document: ReturnType<typeof parseDocument>): readonly Scalar[] {
  const found: Scalar[] = [];
  visit(document, {
    Pair: (_, { key }) => {
      if (isScalar(key) && key.value === FORBIDDEN_KEY) found.push(key);
    },
  });
  return found;
}

/** Keeps the digits of a whole number that a double cannot hold, as JSON is read. */
function keepDigits(document: ReturnType<typeof parseDocument>): void {
  visit(document, {
    Scalar: (_, scalar) => {
      scalar.value = exact(scalar.value, scalar.source);
    },
  });
}

function toValue(document: ReturnType<typeof parseDocument>, mistakes: Mistake[], file: string): unknown {
  try {
    const value: unknown = document.toJS({ maxAliasCount: ALIASES_MAX });
    return value;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    mistakes.push({ file, line: 1, column: 1, path: '', problem, expected: `at most ${ALIASES_MAX} aliases` });
    return undefined;
  }
}

/** `criteria[2].check`, as messages write it. */
export function formatPath(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? part : `${text}.${part}`;
  }, '');
}

function nodeAt(root: Node | null, path: Path): Node | null {
  let node = root;
  for (const part of path) {
    if (!isNode(node) || !('get' in node)) return node;
    const child: unknown = node.get(part, true);
    if (!isNode(child)) return keyAt(node, [part]) ?? node;
    node = child;
  }
  return node;
}

function keyAt(root: Node | null, path: Path): Node | null {
  const parent = nodeAt(root, path.slice(0, -1));
  if (!isMap(parent)) return null;
  const pair = parent.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === path.at(-1));
  return pair !== undefined && isNode(pair.key) ? pair.key : null;
}

function startOf(node: Node | null): number | undefined {
  return node?.range?.[0];
}

/** Maps an offset in the value to one in the file: exact within plain, quoted and literal texts without escapes. */
function offsetInSource(node: Scalar, text: string, offset: number): number | undefined {
  const start = node.range?.[0];
  if (start === undefined || typeof node.value !== 'string') return start;
  if (node.type !== 'BLOCK_LITERAL' && node.type !== 'BLOCK_FOLDED') {
    return start + offset + (node.type === 'PLAIN' ? 0 : 1);
  }
  const before = node.value.slice(0, offset).split('\n');
  let at = text.indexOf('\n', start) + 1;
  for (let line = 1; line < before.length; line++) at = text.indexOf('\n', at) + 1;
  const indentation = /^ */.exec(text.slice(at, at + 200))?.[0].length ?? 0;
  return at + indentation + (before.at(-1)?.length ?? 0);
}
