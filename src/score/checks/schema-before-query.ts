/**
 * Was the database's schema looked at before the first data query? Calls that ran side by side are in no order: an inspection counts
 * where it was certainly first (`../order/precedence.ts`), and only one that did not fail. Within one call its statements
 * follow one another.
 *
 * Passes where there were only inspections. Not applicable where the tool was never called.
 */
import { z } from 'zod';
import { compileGlob } from '../../model/glob.ts';
import { type Deed, deedsOf, mayLackSteps, spanOf } from '../order/ordered-steps.ts';
import { MEMBERS_MAX } from '../order/partial-order.ts';
import { precedenceOf } from '../order/precedence.ts';
import { before } from '../order/predicates.ts';
import { toExcerpt } from '../subject/sentences.ts';
import { CheckError, notApplicable } from '../subject/answer.ts';
import { builtInCheck } from './built-in-check.ts';
import { type SqlInCall, sqlIn } from './sql/sql-in-call.ts';
import { isDataForCertain, purposeOf } from './sql/sql-purpose.ts';

const QUOTED_MAX = 200;

export const schemaBeforeQuery = builtInCheck({
  summary: 'the database schema was inspected before the first data query',
  about: 'rules',
  params: z.strictObject({
    /** The tool that runs SQL: a glob. */
    tool: z.string().min(1, 'the name of a tool').default('query_database'),
    /** Tools that show the schema by themselves: globs. */
    schema_tools: z.array(z.string()).default([]),
  }),
  needs: ['tools'],
  make: ({ tool, schema_tools: schemaTools }) => {
    const isTool = compileGlob(tool);
    const schemaMatchers = schemaTools.map(compileGlob);
    const showsSchema = (name: string) => schemaMatchers.some((matches) => matches(name));
    return (subject) => {
      const deeds = deedsOf(subject);
      const calls = deeds.flatMap((deed, at) => {
        if (deed.call === undefined) return [];
        if (isTool(deed.name)) return [queryOf(deed, at)];
        return showsSchema(deed.name) ? [schemaCallOf(deed, at)] : [];
      });
      if (calls.every(({ isQuery }) => !isQuery)) return notApplicable(`${toExcerpt(tool)} was never called.`);
      if (calls.length > MEMBERS_MAX)
        throw new CheckError(`There are ${calls.length} calls, and ${MEMBERS_MAX} is the most.`);
      const order = precedenceOf(subject).among(calls.map(({ at }) => at));
      const positions = (is: (query: Query) => boolean) => calls.flatMap((query, at) => (is(query) ? [at] : []));
      const inspections = positions(({ inspects }) => inspects);
      const uninformed = positions(({ queries }) => queries === 'yes');
      const unclear = positions(({ queries }) => queries === 'unclear');
      // An unrecognised call may have been an inspection, or a query.
      const atBest = before(order, [...inspections, ...unclear], uninformed);
      if (atBest.holds !== 'always') {
        const offender = calls[atBest.offender ?? 0];
        const reason = `Data was queried before the schema was inspected: ${quoted(offender?.sql)}`;
        if (mayLackSteps(subject))
          return notApplicable('No inspection of the schema was recorded, but the trace is partial.');
        const late = atBest.other === undefined ? undefined : calls[atBest.other];
        return { pass: false, reason, evidence: [offender, late].map((query) => query && spanOf(query.deed)) };
      }
      const atWorst = before(order, inspections, [...uninformed, ...unclear]);
      if (atWorst.holds !== 'always') {
        return notApplicable(
          `What ${toExcerpt(tool)} was asked is not known: its arguments were not recorded in full.`,
        );
      }
      const isOnly = calls.every(({ hasData }) => !hasData);
      const reason = isOnly
        ? 'There were only inspections of the schema.'
        : 'The schema was inspected before data was queried.';
      return { pass: true, reason };
    };
  },
});

interface Query {
  readonly deed: Deed;
  /** A call of the tool that runs SQL. */
  readonly isQuery: boolean;
  readonly at: number;
  readonly sql: SqlInCall | undefined;
  readonly inspects: boolean;
  /** Whether it queries data without having inspected the schema first. */
  readonly queries: 'yes' | 'no' | 'unclear';
  readonly hasData: boolean;
}

function schemaCallOf(deed: Deed, at: number): Query {
  const inspects = deed.call?.error === undefined;
  return { deed, at, isQuery: false, sql: undefined, inspects, queries: 'no', hasData: false };
}

function queryOf(deed: Deed, at: number): Query {
  const sql = deed.call === undefined ? undefined : sqlIn(deed.call.args);
  if (sql === undefined) return { deed, at, isQuery: true, sql, inspects: false, queries: 'unclear', hasData: true };
  const purposes = sql.statements.map(purposeOf);
  const inspection = purposes.indexOf('inspection');
  const data = purposes.indexOf('data');
  const isFirst = data >= 0 && (inspection < 0 || data < inspection);
  const last = sql.statements.length - 1;
  const isCutOff = sql.isCut && (inspection < 0 || isFirst) && (data < 0 || data === last);
  const statement = sql.statements[last];
  const isUnclear = isCutOff && (statement === undefined || !isDataForCertain(statement));
  return {
    deed,
    at,
    isQuery: true,
    sql,
    inspects: inspection >= 0 && deed.call?.error === undefined,
    queries: isUnclear ? 'unclear' : isFirst ? 'yes' : 'no',
    hasData: data >= 0,
  };
}

/** The first so many characters of the query, without cutting one in two. */
function quoted(sql: SqlInCall | undefined): string {
  const text = (sql?.text ?? '').trim();
  return text.length <= QUOTED_MAX ? text : `${text.slice(0, QUOTED_MAX).toWellFormed()}…`;
}
