/**
 * Answers the rules of the store from SQLite, at once. From the first transaction of a rule to its end is one
 * transaction: nobody else is to be let in between.
 */
import type { SQLInputValue } from 'node:sqlite';
import type { Dialect, Pages, Rule, Sql, Step, Value } from '../sql.ts';
import type { OwnTransaction } from './own-transaction.ts';
import type { Statements } from './statements.ts';

type Asked = Exclude<Step, { readonly is: 'transaction' }>;

export class SqliteSql<D extends Dialect> implements Sql<'now', D> {
  readonly when = 'now';
  readonly dialect: D;
  readonly #statements: Statements;
  readonly #own: OwnTransaction;

  constructor(dialect: D, statements: Statements, own: OwnTransaction) {
    this.dialect = dialect;
    this.#statements = statements;
    this.#own = own;
  }

  run<T>(rule: Rule<T>): T {
    for (let step = rule.next(); ; step = this.#next(rule, step.value)) {
      if (step.done === true) return step.value;
      if (step.value.is === 'transaction') {
        const { options, rule: inner } = step.value;
        return this.#own(options.what, () => this.inside(rule, this.inside(inner())));
      }
    }
  }

  /** In the transaction that goes on. `given` is for a rule that waits for an answer. */
  inside<T>(rule: Rule<T>, given?: unknown): T {
    for (let step = rule.next(given); ; step = this.#next(rule, step.value)) if (step.done === true) return step.value;
  }

  *pages<T>(pages: Pages<T>): Generator<T> {
    for (let step = pages.next(); step.done !== true; ) {
      const asked = step.value;
      if (asked.is === 'page') {
        yield asked.page;
        step = pages.next();
      } else step = this.#next(pages, asked);
    }
  }

  /** The rule learns of a failure where it asked. */
  #next<S, T>(rule: Generator<S, T, unknown>, step: Step): IteratorResult<S, T> {
    let given: unknown;
    try {
      given = step.is === 'transaction' ? this.inside(step.rule()) : this.#answer(step);
    } catch (error) {
      return rule.throw(error);
    }
    return rule.next(given);
  }

  #answer({ is, statement, values }: Asked): unknown {
    const prepared = this.#statements.of(statement.sql);
    const given = values.map(toInput);
    if (is === 'change') return Number(prepared.run(...given).changes);
    if (is === 'cells') prepared.setReturnArrays(true);
    return prepared.all(...given);
  }
}

/** A list is read with `json_each`. */
function toInput(value: Value): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  // The cast holds because the other values that are no bytes have been asked for.
  if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) return JSON.stringify(value);
  return value as SQLInputValue;
}
