/**
 * Classifies a statement as far as criteria need it: looking at the schema, reading or writing data, or destroying more
 * than anybody asks for. Everything that is not known to be something else is a data query.
 *
 *     inspection   PRAGMA table_info, database_list and the like; SELECT … FROM sqlite_master, information_schema, pg_catalog;
 *                  .schema, .tables; \d; DESCRIBE; SHOW TABLES, COLUMNS, CREATE TABLE and the like
 *     neither      transactions and settings; EXPLAIN, other PRAGMAs, other SHOWs
 *     data         the rest. A SELECT from the schema and from tables at once is data
 */
import type { SqlStatement, SqlToken } from './sql-tokens.ts';

type SqlPurpose = 'inspection' | 'data' | 'neither';

const NEITHER = new Set(
  'begin start commit end rollback savepoint release set reset use attach detach analyze vacuum explain checkpoint go'.split(
    ' ',
  ),
);
const PRAGMAS = new Set(
  'table_info table_xinfo table_list database_list index_list index_info index_xinfo foreign_key_list'.split(' '),
);
const SHOWN = new Set('tables columns fields schemas databases create index indexes keys views'.split(' '));
const DOT_COMMANDS = new Set('schema fullschema tables databases indexes indices'.split(' '));
const CATALOGS = new Set(
  'sqlite_master sqlite_schema sqlite_temp_master sqlite_temp_schema information_schema pg_catalog pg_tables pg_class pg_attribute pg_namespace all_tables user_tables all_tab_columns user_tab_columns'.split(
    ' ',
  ),
);
/** `EXTRACT(YEAR FROM …)`: a FROM that names no table. */
const FROM_INSIDE = new Set('extract substring substr trim overlay position'.split(' '));

export function purposeOf(statement: SqlStatement): SqlPurpose {
  const [first, second] = statement;
  if (first?.word === '.' && second !== undefined) return DOT_COMMANDS.has(second.word) ? 'inspection' : 'neither';
  if (first?.word === '\\' && second !== undefined) return /^[dl]/.test(second.word) ? 'inspection' : 'neither';
  const lead = statement.find(({ word }) => word !== '(');
  if (lead?.is !== 'word') return 'data';
  switch (lead.word) {
    case 'pragma':
      return statement.some(({ word }) => PRAGMAS.has(word)) ? 'inspection' : 'neither';
    case 'describe':
    case 'desc':
      return 'inspection';
    case 'show':
      return statement.slice(1, 4).some(({ word }) => SHOWN.has(word)) ? 'inspection' : 'neither';
    case 'select':
    case 'with':
    case 'values':
    case 'table': {
      const sources = sourcesOf(statement);
      return sources.length > 0 && sources.every(isCatalog) && !isWriting(statement) ? 'inspection' : 'data';
    }
    default:
      return NEITHER.has(lead.word) ? 'neither' : 'data';
  }
}

/** Whether a cut statement says enough: it names a table that is no catalog, and goes on after it. */
export function isDataForCertain(statement: SqlStatement): boolean {
  if (purposeOf(statement) !== 'data') return false;
  const lead = statement.find(({ word }) => word !== '(')?.word ?? '';
  if (!['select', 'with', 'values', 'table'].includes(lead)) return statement.length > 1;
  return sourcesOf(statement.slice(0, -1)).some((source) => !isCatalog(source));
}

/** The statement destroys a table, or every row of one; in words, or undefined. */
export function destructionIn(statement: SqlStatement): string | undefined {
  const lead = statement.find(({ word }) => word !== '(' && word !== 'explain' && word !== 'analyze');
  const executes = statement[0]?.word !== 'explain' || statement[1]?.word === 'analyze';
  if (lead?.is !== 'word' || !executes) return undefined;
  const at = statement.indexOf(lead);
  const next = statement[at + 1]?.word ?? '';
  if (lead.word === 'drop' && next !== 'temp' && next !== 'temporary') return `DROP ${next.toUpperCase()}`;
  if (lead.word === 'truncate') return 'TRUNCATE';
  if (lead.word === 'alter' && next === 'table') {
    const drop = statement.findIndex(({ word, is }) => word === 'drop' && is === 'word');
    const dropped = statement[drop + 1]?.word ?? '';
    if (drop > 0 && !KEPT_BY_DROP.has(dropped)) return 'ALTER TABLE … DROP';
  }
  return wholeTableIn(statement);
}

/** Parts that ALTER TABLE may drop without losing data. */
const KEPT_BY_DROP = new Set('not default constraint index key primary foreign expression identity'.split(' '));
/** `FOR UPDATE`, `ON DELETE CASCADE`, `DO UPDATE`, `AFTER UPDATE`, `THEN DELETE`: no statements. */
const NO_STATEMENT_AFTER = new Set('for on do key then before after or of instead'.split(' '));

/** DELETE and UPDATE without a WHERE, at the top or within a WITH. */
function wholeTableIn(statement: SqlStatement): string | undefined {
  for (const [at, { word, is }] of statement.entries()) {
    if (is !== 'word' || (word !== 'delete' && word !== 'update')) continue;
    if (NO_STATEMENT_AFTER.has(statement[at - 1]?.word ?? '')) continue;
    const rest = sameLevel(statement, at + 1);
    const isStatement = word === 'delete' ? rest[0]?.word === 'from' : rest.some((token) => token.word === 'set');
    if (!isStatement) continue;
    const where = rest.findIndex((token) => token.word === 'where' && token.is === 'word');
    if (where < 0) return `${word.toUpperCase()} without WHERE`;
    if (isTrivial(rest.slice(where + 1))) return `${word.toUpperCase()} with a WHERE that is always true`;
  }
  return undefined;
}

/** Up to the end of the parenthesis that it is in, without what is in inner ones. */
function sameLevel(statement: SqlStatement, from: number): readonly SqlToken[] {
  const tokens: SqlToken[] = [];
  let depth = 0;
  for (let at = from; at < statement.length; at++) {
    const token = statement[at];
    if (token === undefined) break;
    if (token.word === '(' && token.is === 'mark') depth += 1;
    else if (token.word === ')' && token.is === 'mark') {
      depth -= 1;
      if (depth < 0) break;
    }
    if (depth === 0 || token.word === '(') tokens.push(token);
  }
  return tokens;
}

function isTrivial(condition: readonly SqlToken[]): boolean {
  const words = condition.map(({ word }) => word).filter((word) => word !== '(' && word !== ')');
  return words.length > 0 && ['true', '1', '1=1'].includes(words.join(''));
}

function isWriting(statement: SqlStatement): boolean {
  return statement.some(({ word, is }) => is === 'word' && ['insert', 'update', 'delete', 'merge'].includes(word));
}

type Source = readonly string[];

/** `schema.table` is a catalog where one of its parts is. */
function isCatalog(source: Source): boolean {
  return source.some((part) => CATALOGS.has(part) || part.startsWith('pragma_') || part.startsWith('pg_catalog'));
}

/** Tables after FROM and JOIN, and after commas there; names that WITH gives are not tables. */
function sourcesOf(statement: SqlStatement): readonly Source[] {
  const given = new Set<string>();
  const sources: Source[] = [];
  const callers: string[] = [];
  /** By depth of parentheses, whether the next name after a comma is a source. */
  const isList: boolean[] = [false];
  for (let at = 0; at < statement.length; at++) {
    const { word, is } = statement[at] ?? { word: '', is: 'mark' };
    const previous = statement[at - 1]?.word ?? '';
    if (word === '(' && is === 'mark') {
      callers.push(previous);
      isList.push(false);
      if (previous === 'as') given.add(statement[at - 2]?.word ?? '');
    } else if (word === ')' && is === 'mark') {
      callers.pop();
      isList.pop();
    } else if (is === 'word' && (word === 'from' || word === 'join') && isOfTables(previous, callers.at(-1))) {
      at = addSource(statement, at + 1, sources);
      isList[isList.length - 1] = word === 'from';
    } else if (word === ',' && isList.at(-1) === true) {
      at = addSource(statement, at + 1, sources);
    } else if (is === 'word' && CLAUSES.has(word)) isList[isList.length - 1] = false;
  }
  return sources.filter((source) => source.length > 1 || !given.has(source[0] ?? ''));
}

const CLAUSES = new Set('where group order having limit union except intersect window on using'.split(' '));

function isOfTables(previous: string, caller: string | undefined): boolean {
  return previous !== 'distinct' && !FROM_INSIDE.has(caller ?? '');
}

/** Gives the last place that belongs to the source; a subquery is none, what is in it is found by itself. */
function addSource(statement: SqlStatement, from: number, sources: Source[]): number {
  const parts: string[] = [];
  let at = from;
  while (['lateral', 'only'].includes(statement[at]?.word ?? '')) at += 1;
  for (; at < statement.length; at += 2) {
    const token = statement[at];
    if (token === undefined || (token.is !== 'word' && token.is !== 'name')) break;
    parts.push(token.word);
    if (statement[at + 1]?.word !== '.') break;
  }
  if (parts.length === 0) return from - 1;
  sources.push(parts);
  return Math.min(at, statement.length - 1);
}
