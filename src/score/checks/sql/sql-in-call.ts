/**
 * The SQL that a tool was called with. It may be the whole of the arguments, or in an object under `query`, `sql`,
 * `statement` or whatever the tool calls it, or in a list; the arguments may be JSON within a text, and may have been
 * cut anywhere. If nothing in them looks like SQL, they are taken unchanged: it was a query, in some form.
 */
import type { Json } from '../../../model/json.ts';
import type { Content } from '../../../model/step.ts';
import { type SqlStatement, sqlStatements } from './sql-tokens.ts';

export interface SqlInCall {
  /** Statement as written, to be quoted. */
  readonly text: string;
  readonly statements: readonly SqlStatement[];
  /** The last statement goes on, nobody knows how. */
  readonly isCut: boolean;
}

const KEYS = new Set(
  'query sql statement statements queries sql_query sqlquery query_string q command code script input'.split(' '),
);
const VERBS = new Set(
  'select with insert update delete merge replace create alter drop truncate pragma describe desc show explain begin commit rollback set use values table call exec execute grant revoke attach analyze vacuum start'.split(
    ' ',
  ),
);
const DEPTH_MAX = 8;
const STRINGS_MAX = 100;
/** A query of more is cut here; what it does stands at its beginning. */
const LENGTH_MAX = 100_000;

/** Undefined where the arguments were not recorded. */
export function sqlIn({ state, text, json }: Content): SqlInCall | undefined {
  if (state === 'missing' || state === 'redacted') return undefined;
  const found = sqlOf(json, 0);
  const sql = found.texts.length === 0 ? text : found.texts.join(';\n');
  const isCut = found.isCut || (state === 'truncated' && !found.isClosed) || sql.length > LENGTH_MAX;
  return { text: sql, statements: sqlStatements(sql.slice(0, LENGTH_MAX)), isCut };
}

interface Found {
  readonly texts: readonly string[];
  readonly isCut: boolean;
  /** The arguments were cut, and not within the SQL. */
  readonly isClosed?: boolean;
}

function sqlOf(json: Json, depth: number): Found {
  if (typeof json === 'string') return sqlOfText(json, depth);
  const members = stringsIn(json, '', 0);
  const chosen = chosenOf(members);
  const inner = chosen.map(({ value }) => sqlOfText(value, depth + 1));
  return { texts: inner.flatMap(({ texts }) => texts), isCut: inner.some(({ isCut }) => isCut) };
}

function sqlOfText(text: string, depth: number): Found {
  const start = text.trimStart()[0] ?? '';
  // `[` may begin a name in brackets, but no statement begins with a name.
  if (depth > 2 || (start !== '{' && start !== '[' && start !== '"')) return { texts: [text], isCut: false };
  try {
    // The cast holds: what JSON.parse gives is JSON.
    return sqlOf(JSON.parse(text) as Json, depth + 1);
  } catch {
    // Cut, or written by hand: what is between quotes is looked at.
    const { members, isOpen } = stringsInBrokenJson(text);
    const chosen = chosenOf(members);
    if (chosen.length === 0) return { texts: [text], isCut: true };
    const isLastOpen = isOpen && chosen.at(-1) === members.at(-1);
    return { texts: chosen.map(({ value }) => value), isCut: isLastOpen, isClosed: !isLastOpen };
  }
}

interface Member {
  readonly key: string;
  readonly value: string;
}

/** Texts that begin like a statement, under a key for SQL if there is one; otherwise all texts under such a key. */
function chosenOf(members: readonly Member[]): readonly Member[] {
  const likely = members.filter(({ value }) => beginsLikeSql(value));
  const byKey = members.filter(({ key }) => KEYS.has(key.toLowerCase()));
  const best = byKey.filter((member) => likely.includes(member));
  return [best, likely, byKey].find((some) => some.length > 0) ?? [];
}

function beginsLikeSql(text: string): boolean {
  const [first] = sqlStatements(text.slice(0, 2000));
  const lead = first?.find(({ word }) => word !== '(');
  return lead !== undefined && (VERBS.has(lead.word) || lead.word === '.' || lead.word === '\\');
}

function stringsIn(json: Json, key: string, depth: number, found: Member[] = []): Member[] {
  if (depth > DEPTH_MAX || found.length >= STRINGS_MAX) return found;
  if (typeof json === 'string') found.push({ key, value: json });
  else if (Array.isArray(json)) for (const element of json) stringsIn(element, key, depth + 1, found);
  else if (typeof json === 'object' && json !== null) {
    // A list under a key for SQL is one of statements; an object below it has keys of its own.
    for (const [inner, value] of Object.entries(json)) stringsIn(value, inner, depth + 1, found);
  }
  return found;
}

/** The texts in quotes, those before a colon being keys. The last may lack its end. */
function stringsInBrokenJson(text: string): { readonly members: readonly Member[]; readonly isOpen: boolean } {
  const members: Member[] = [];
  let key = '';
  let at = text.indexOf('"');
  while (at >= 0 && members.length < STRINGS_MAX) {
    const { value, end } = readString(text, at + 1);
    if (end >= text.length) {
      members.push({ key, value });
      return { members, isOpen: true };
    }
    if (/^\s{0,20}:/.test(text.slice(end + 1, end + 22))) key = value;
    else members.push({ key, value });
    at = text.indexOf('"', end + 1);
  }
  return { members, isOpen: false };
}

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

function readString(text: string, from: number): { readonly value: string; readonly end: number } {
  let value = '';
  let at = from;
  for (; at < text.length && text[at] !== '"'; at++) {
    if (text[at] !== '\\') {
      value += text[at];
      continue;
    }
    at += 1;
    const char = text[at] ?? '';
    if (char === 'u') {
      const code = Number.parseInt(text.slice(at + 1, at + 5), 16);
      value += Number.isNaN(code) ? '' : String.fromCharCode(code);
      at += 4;
    } else value += ESCAPED[char] ?? char;
  }
  return { value, end: at };
}
