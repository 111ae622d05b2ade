/**
 * How a rule of the store asks its database, so that it is written once for SQLite and PostgreSQL.
 *
 * A rule is a generator: `const [row] = yield* rows(FIND, [id])`. It yields statements, and goes on with their rows.
 * SQLite answers at once, so that a whole rule is done before anything else happens on its thread; the engine's
 * transaction needs that. PostgreSQL answers when it has. Each store resumes rules in one place (`sqlite/sqlite-sql.ts`,
 * `postgres/postgres-sql.ts`). `docs/decisions/0056-one-rule-two-databases.md` says why.
 */
export type Value = string | number | boolean | null | Uint8Array | readonly (string | number | boolean | null)[];

export interface Statement {
  readonly name: string;
  /** `?` stands for one value. A list is one value as well: see `Dialect.among`. */
  readonly sql: string;
  /** Its text is written for the occasion. Other statements are prepared once, under their name. */
  readonly varies?: true;
}

interface TransactionOptions {
  /** For the error inside another transaction. */
  readonly what: string;
  /** Other transactions with this lock wait, where there are any at the same time. */
  readonly lock?: 'labels' | 'spending' | 'questions';
}

export type Step =
  | { readonly is: 'rows' | 'cells' | 'change'; readonly statement: Statement; readonly values: readonly Value[] }
  | { readonly is: 'transaction'; readonly options: TransactionOptions; readonly rule: () => Rule<unknown> };

export type Rule<T> = Generator<Step, T, unknown>;

export interface Page<T> {
  readonly is: 'page';
  readonly page: T;
}

/** A rule that gives pages, one after the other. */
export type Pages<T> = Generator<Step | Page<T>, void, unknown>;

export function* rows<Row>(statement: Statement, values: readonly Value[] = []): Rule<readonly Row[]> {
  // The cast holds because the statement selects the columns that the caller names.
  return (yield { is: 'rows', statement, values }) as readonly Row[];
}

/** Each row as a list of its cells, in the order of the columns. */
export function* cells<Cells extends readonly unknown[]>(
  statement: Statement,
  values: readonly Value[] = [],
): Rule<readonly Cells[]> {
  // The same.
  return (yield { is: 'cells', statement, values }) as readonly Cells[];
}

/** Returns how many rows it changed. */
export function* change(statement: Statement, values: readonly Value[] = []): Rule<number> {
  // The cast holds because databases answer so.
  return (yield { is: 'change', statement, values }) as number;
}

/** All of the rule or nothing. With PostgreSQL, statements before and behind it are on their own. */
export function* transaction<T>(options: TransactionOptions, rule: () => Rule<T>): Rule<T> {
  // The cast holds because a database answers with the rule's own result.
  return (yield { is: 'transaction', options, rule }) as T;
}

/** For a rule that asks nothing in one of the databases. */
// biome-ignore lint/correctness/useYield: it asks nothing.
export function* given<T>(value: T): Rule<T> {
  return value;
}

/** Databases have truth as a number or as what it is. */
export function isTrue(cell: boolean | number): boolean {
  return cell === true || cell === 1;
}

export function page<T>(given: T): Page<T> {
  return { is: 'page', page: given };
}

/** SQL that the databases write differently. */
export interface Dialect {
  /** The column has one of the values of the next parameter, which is a list. */
  readonly among: (column: string) => string;
  /** A table `wanted (value)` of the numbers of the next parameter. */
  readonly wanted: string;
  /** Columns of a table. SQLite reads all: a store that an older Assay wrote lacks the newest, until a service starts. */
  readonly columns: (table: string, names: readonly { readonly name: string }[]) => string;
  /** In the order of the bytes of its text, whatever the locale. */
  readonly byBytes: (column: string) => string;
  /** Text from spans, as the database can hold it, and back. */
  readonly toStored: (text: string) => string;
  readonly fromStored: (text: string) => string;
  /** The column of a conversation, and of truth, readings and feedback of one, that its id is looked up by. */
  readonly key: string;
  /** The same of labels. */
  readonly labelKey: string;
  /** The column of a reading that its name is looked up by. */
  readonly nameKey: string;
  /** As these columns hold it. */
  readonly keyOf: (text: string) => string;
  /** These columns hold hashes, beside the text itself. */
  readonly isHashed: boolean;
  /** Others write at the same time, so that work behind a commit may be lost: clients that were not answered ask again. */
  readonly isShared: boolean;
  /** Behind a statement: its rows stay as they are until the transaction ends. */
  readonly forShare: string;
  readonly forUpdate: string;
  /** The database's clock, in milliseconds. */
  readonly nowMs: string;
  /** Asks again for a conversation that is asked for already. */
  readonly askAgain: string;
}

/** SQLite answers now, PostgreSQL later. */
export type When = 'now' | 'later';
type Answer<W extends When, T> = W extends 'now' ? T : Promise<T>;
type AnswerPages<W extends When, T> = W extends 'now' ? Generator<T> : AsyncGenerator<T>;

export interface Sql<W extends When, D extends Dialect = Dialect> {
  readonly when: W;
  readonly dialect: D;
  run<T>(rule: Rule<T>): Answer<W, T>;
  pages<T>(pages: Pages<T>): AnswerPages<W, T>;
}

/** The first parameter of each is the dialect. */
type Rules = { readonly [name: string]: (dialect: never, ...given: never[]) => Rule<unknown> };

/** Rules as the methods of a store. */
type Bound<W extends When, R extends Rules> = {
  readonly [Name in keyof R]: R[Name] extends (dialect: never, ...given: infer Given) => Rule<infer T>
    ? (...given: Given) => Answer<W, T>
    : never;
};

export function bound<W extends When, D extends Dialect, R extends Rules>(sql: Sql<W, D>, rules: R): Bound<W, R> {
  const methods = Object.entries(rules).map(([name, rule]) => {
    // The casts hold because `Bound` gives each method the parameters of its rule.
    const method = (...given: never[]) => sql.run(rule(sql.dialect as never, ...given));
    return [name, method] as const;
  });
  return Object.fromEntries(methods) as unknown as Bound<W, R>;
}
