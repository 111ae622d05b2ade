/** Criteria that suites have already, measured by the same readings: nothing was chosen by these, so all of them measure. */
import type { Certificate } from '../model/certificate.ts';
import { bitsOf } from './bits.ts';
import { measure } from './certify.ts';
import type { ReadCase } from './read-case.ts';

/** By `suite/criterion`; without those that never fail. */
export function measuredCriteria(cases: readonly ReadCase[], at: string): ReadonlyMap<string, Certificate> {
  const names = [...new Set(cases.flatMap(({ failed }) => failed))].toSorted();
  return new Map(
    names.flatMap((name) => {
      const fails = bitsOf(
        cases.map(({ failed }) => Number(failed.includes(name))),
        1,
      );
      const { readings, fired, bad, precision } = measure(cases, () => fails, { foundIn: 0, tests: names.length });
      if (precision === undefined) return [];
      // Conversations that fail it are called fine by nobody.
      const known = { at, readings, fired, bad, precision, missed: 0, added: 0 };
      return [[name, { ...known, applies: 1, fails: fired / readings }] as const];
    }),
  );
}
