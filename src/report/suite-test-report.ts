/** What came of the tests of suites, as JSON and as JUnit XML. */
import { escapeXml } from './junit.ts';

export interface SuiteTestReport {
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
  const suites = [...Map.groupBy(tests, ({ suite }) => suite)].map(([suite, rows]) => {
    const failures = rows.filter(({ unmet }) => unmet.length > 0).length;
    const head = `  <testsuite name="${escapeXml(suite)}" tests="${rows.length}" failures="${failures}" errors="0" skipped="0">`;
    return [head, ...rows.map(testCase), '  </testsuite>'].join('\n');
  });
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites name="assay">', ...suites, '</testsuites>'].join('\n');
}

function testCase({ suite, name, file, line, unmet }: SuiteTestReport): string {
  const place = `file="${escapeXml(file)}"${line === undefined ? '' : ` line="${line}"`}`;
  const head = `    <testcase classname="${escapeXml(suite)}" name="${escapeXml(name)}" ${place}`;
  const [first] = unmet;
  if (first === undefined) return `${head}/>`;
  const details = unmet.map(
    ({ what, expected, actual, reason, line: at }) =>
      `${file}:${at ?? line ?? 1}: ${what}: expected ${expected}, was ${actual}: ${reason}`,
  );
  const message = `${first.what}: expected ${first.expected}, was ${first.actual}`;
  return `${head}><failure message="${escapeXml(message)}">${escapeXml(details.join('\n'))}</failure></testcase>`;
}
