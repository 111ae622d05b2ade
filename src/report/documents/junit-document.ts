/** JUnit XML, as test runners and CI services read it. */
import { visibleText } from '../../model/visible-text.ts';

interface JUnitSuite {
  readonly name: string;
  readonly cases: readonly JUnitCase[];
}

interface JUnitCase {
  readonly name: string;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly result: JUnitResult;
}

export type JUnitResult =
  | { readonly is: 'passed' }
  | { readonly is: 'skipped'; readonly message: string }
  | {
      readonly is: 'failed';
      readonly type?: string | undefined;
      readonly message: string;
      readonly details: readonly string[];
    };

export function junitDocument(suites: readonly JUnitSuite[]): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites name="assay">',
    ...suites.map(suiteElement),
    '</testsuites>',
  ].join('\n');
}

function suiteElement({ name, cases }: JUnitSuite): string {
  const count = (is: JUnitResult['is']) => cases.filter(({ result }) => result.is === is).length;
  const counts = `tests="${cases.length}" failures="${count('failed')}" errors="0" skipped="${count('skipped')}"`;
  const head = `  <testsuite name="${escapeXml(name)}" ${counts}>`;
  return [head, ...cases.map((one) => caseElement(name, one)), '  </testsuite>'].join('\n');
}

function caseElement(suite: string, { name, file, line, result }: JUnitCase): string {
  const place = `${file === undefined ? '' : ` file="${escapeXml(file)}"`}${line === undefined ? '' : ` line="${line}"`}`;
  const head = `    <testcase classname="${escapeXml(suite)}" name="${escapeXml(name)}"${place}`;
  if (result.is === 'passed') return `${head}/>`;
  if (result.is === 'skipped') return `${head}><skipped message="${escapeXml(result.message)}"/></testcase>`;
  const type = result.type === undefined ? '' : ` type="${escapeXml(result.type)}"`;
  const text = escapeXml(result.details.join('\n'));
  return `${head}><failure${type} message="${escapeXml(result.message)}">${text}</failure></testcase>`;
}

/** For text and attributes. Characters that XML 1.0 can't hold at all are replaced. */
function escapeXml(text: string): string {
  const valid = text
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\u{fffd}');
  return visibleText(valid)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
