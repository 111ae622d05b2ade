/** Writes the results of suite tests as JSON and as JUnit XML. */
import { junitDocument, type JUnitResult } from './junit-document.ts';

interface SuiteTestReport {
  readonly file: string;
  readonly line: number | undefined;
  readonly suite: string;
  readonly name: string;
  readonly unmet: readonly {
    readonly what: string;
    readonly expected: string;
    readonly actual: string;
    readonly reason: string;
    readonly line: number | undefined;
    readonly at: string | undefined;
  }[];
}

export function suiteTestsJson(tests: readonly SuiteTestReport[]): unknown {
  const failed = tests.filter(({ unmet }) => unmet.length > 0).length;
  return {
    summary: { tests: tests.length, passed: tests.length - failed, failed },
    tests: tests.map(({ file, line, suite, name, unmet }) => ({
      file,
      line,
      suite,
      name,
      passed: unmet.length === 0,
      unmet: unmet.map(({ what, expected, actual, reason, line: at, at: step }) => ({
        what,
        expected,
        actual,
        reason,
        line: at,
        ...(step !== undefined && { step }),
      })),
    })),
  };
}

export function suiteTestsJUnit(tests: readonly SuiteTestReport[]): string {
  return junitDocument(
    [...Map.groupBy(tests, ({ suite }) => suite)].map(([name, rows]) => ({
      name,
      cases: rows.map((test) => ({ name: test.name, file: test.file, line: test.line, result: resultOf(test) })),
    })),
  );
}

function resultOf({ file, line, unmet }: SuiteTestReport): JUnitResult {
  const [first] = unmet;
  if (first === undefined) return { is: 'passed' };
  const details = unmet.map(
    ({ what, expected, actual, reason, line: at }) =>
      `${file}:${at ?? line ?? 1}: ${what}: expected ${expected}, was ${actual}: ${reason}`,
  );
  return { is: 'failed', message: `${first.what}: expected ${first.expected}, was ${first.actual}`, details };
}
