/** Answers the rules of the store from PostgreSQL. A rule has the session for itself until it is done. */
import type { Dialect, Pages, Rule, Sql, Step } from '../sql.ts';
import { lockKey } from './advisory-locks.ts';
import type { Link } from './link.ts';
import type { Session } from './session.ts';

type Asked = Exclude<Step, { readonly is: 'transaction' }>;

export class PostgresSql<D extends Dialect> implements Sql<'later', D> {
  readonly when = 'later';
  readonly dialect: D;
  readonly #link: Link;
  readonly #ownLink: () => Link;

  /** `ownLink` connects for one reader of pages: it reads them as fast as it wants, and others are not to wait for it. */
  constructor(dialect: D, link: Link, ownLink: () => Link = () => link) {
    this.dialect = dialect;
    this.#link = link;
    this.#ownLink = ownLink;
  }

  async run<T>(rule: Rule<T>): Promise<T> {
    return this.#link.use((session) => runOn(session, rule, this.#link));
  }

  async *pages<T>(pages: Pages<T>): AsyncGenerator<T> {
    const link = this.#ownLink();
    try {
      const held = await hold(link);
      try {
        for (let step = pages.next(); step.done !== true; ) {
          const asked = step.value;
          if (asked.is === 'page') {
            yield asked.page;
            step = pages.next();
          } else step = await next(pages, () => answer(held.session, asked, link));
        }
      } finally {
        await held.release();
      }
    } finally {
      await link.close();
    }
  }
}

/** In the session, and in the transaction if one goes on. */
export async function runOn<T>(session: Session, rule: Rule<T>, link?: Link): Promise<T> {
  let step = rule.next();
  while (step.done !== true) {
    const asked = step.value;
    step = await next(rule, () => answer(session, asked, link));
  }
  return step.value;
}

/** The rule learns of a failure where it asked. */
async function next<S, T>(
  rule: Generator<S, T, unknown>,
  answered: () => Promise<unknown>,
): Promise<IteratorResult<S, T>> {
  let given: unknown;
  try {
    given = await answered();
  } catch (error) {
    return rule.throw(error);
  }
  return rule.next(given);
}

async function answer(session: Session, step: Step, link: Link | undefined): Promise<unknown> {
  if (step.is !== 'transaction') return ask(session, step);
  if (link === undefined) throw new Error(`store: ${step.options.what} was begun inside another transaction`);
  const { lock } = step.options;
  const begin = lock === undefined ? 'BEGIN' : `BEGIN; SELECT pg_advisory_xact_lock(${lockKey(lock)})`;
  return link.within(session, () => runOn(session, step.rule()), { begin });
}

async function ask(session: Session, { is, statement, values }: Asked): Promise<unknown> {
  const { name, sql, varies } = statement;
  const numbered = toNumbered(sql);
  if (is === 'cells') return session.cells(numbered, values);
  if (varies === true) return session.once(numbered, values);
  const prepared = { name, sql: numbered };
  return is === 'change' ? session.run(prepared, values) : session.rows(prepared, values);
}

/** `?` as PostgreSQL numbers its parameters, and `?1` under its own number. No text of ours has one otherwise. */
function toNumbered(sql: string): string {
  let number = 0;
  return sql.replaceAll(/\?(\d*)/g, (_, own: string) => {
    number += 1;
    return `$${own === '' ? number : own}`;
  });
}

/** The session of a link, until it is released. */
async function hold(link: Link): Promise<{ readonly session: Session; readonly release: () => Promise<void> }> {
  const { promise: over, resolve: finish } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin, reject: fail } = Promise.withResolvers<Session>();
  const held = link
    .use(async (session) => {
      begin(session);
      await over;
    })
    .catch(fail);
  const session = await begun;
  return {
    session,
    release: async () => {
      finish();
      await held;
    },
  };
}
