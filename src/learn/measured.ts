/**
 * Criteria that suites have already, measured by the same readings. Readings that chose a suite's criteria are left out:
 * its certificates say which.
 */
import type { Certificate } from '../model/certificate.ts';
import { bitsOf } from './bits.ts';
import { measure } from './certify.ts';
import type { ReadCase } from './read-case.ts';

interface ToMeasure {
  readonly at: string;
  readonly hasChosen: (suite: string, conversationId: string) => boolean;
  /** As `suite/criterion`: those whose expressions ask for no tool, argument, result or ending. */
  readonly asksNoTool?: ReadonlySet<string>;
  /** By `suite/criterion`: how much of the traffic it is about. */
  readonly shares?: ReadonlyMap<string, Pick<Certificate, 'applies' | 'fails'>> | undefined;
}

/** By `suite/criterion`; without those that never fail. */
export function measuredCriteria(
  cases: readonly ReadCase[],
  { at, hasChosen, shares, asksNoTool }: ToMeasure,
): ReadonlyMap<string, Certificate> {
  const names = [...new Set(cases.flatMap(({ failed }) => failed))].toSorted();
  return new Map(
    names.flatMap((name) => {
      const suite = name.slice(0, name.indexOf('/'));
      const own = cases.filter(({ conversation }) => !hasChosen(suite, conversation.id));
      const fails = bitsOf(
        own.map(({ failed }) => Number(failed.includes(name))),
        1,
      );
      const { readings, fired, bad, precision } = measure(own, () => fails, { foundIn: 0, tests: names.length });
      if (precision === undefined) return [];
      // Conversations that fail it are called fine by nobody.
      const form = asksNoTool?.has(name) === true ? { asksNoTool: true as const } : {};
      const known = { at, readings, fired, bad, precision, missed: 0, added: 0, ...form };
      return [[name, { ...known, ...(shares?.get(name) ?? { applies: 1, fails: fired / readings }) }] as const];
    }),
  );
}
