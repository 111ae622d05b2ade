/**
 * Reports the verdicts of a suite in shadow beside the live one of its name. It is a backtest on live traffic, so the
 * report has the same form. Both have said it, and the store has it; nothing is asked or weighed again.
 */
import type { BacktestReport } from '../model/backtest.ts';
import { fromSuiteKey } from '../model/suite-key.ts';
import { isLive, type SuiteOutline } from '../engine/suite-outline.ts';
import type { BacktestReader } from './another-suite.ts';
import { kindsOf, named, NOTHING_ASKED } from './backtest.ts';
import { Comparison, toWhose } from './comparison.ts';

interface ShadowOptions {
  readonly reader: BacktestReader;
  /** Suites that run, live or in shadow. */
  readonly suites: readonly SuiteOutline[];
  /** Suites of this name only. */
  readonly suite?: string | undefined;
  /** Wall-clock time in milliseconds. */
  readonly since?: number | undefined;
  readonly agent?: string | undefined;
  readonly agentVersion?: string | undefined;
  /** The latest so many of each suite. */
  readonly limit: number;
  /** Only among the latest so many of each suite. */
  readonly lookedAtMax?: number | undefined;
  readonly shown: number;
}

export async function shadowReports({ suites, suite, ...options }: ShadowOptions): Promise<readonly BacktestReport[]> {
  const reports = [];
  for (const shadow of suites.filter((one) => !isLive(one))) {
    const { suite: name } = fromSuiteKey(shadow.name);
    if (suite !== undefined && suite !== name) continue;
    const live = suites.find((one) => one.name === name);
    reports.push(await shadowReport({ name, shadow, live }, options));
  }
  return reports;
}

async function shadowReport(
  {
    name,
    shadow,
    live,
  }: { readonly name: string; readonly shadow: SuiteOutline; readonly live: SuiteOutline | undefined },
  { reader, shown, ...query }: Omit<ShadowOptions, 'suites' | 'suite'>,
): Promise<BacktestReport> {
  const comparison = new Comparison({ before: live, after: shadow }, { shown });
  const alone = new Comparison({ before: undefined, after: shadow }, { shown: 0 });
  const versions = new Map<string, number>();
  for await (const page of reader.scanEvaluations({ suiteKey: shadow.name, ...query })) {
    for (const one of page) {
      // Evaluations of earlier versions of the candidate are left out.
      if (one.suiteVersion !== shadow.version) continue;
      const whose = toWhose(one.labels);
      const after = { score: one.score, outcome: one.outcome, verdicts: kindsOf(await reader.verdictsOf(one)) };
      const beside = await reader.besideOf(one, name);
      if (beside === undefined) {
        alone.add(alone.groupOf(after, after, whose), one);
        continue;
      }
      versions.set(beside.suiteVersion, (versions.get(beside.suiteVersion) ?? 0) + 1);
      const verdicts = kindsOf(await reader.verdictsOf(beside));
      const before = { score: beside.score, outcome: beside.outcome, verdicts };
      comparison.add(comparison.groupOf(before, after, whose), one);
    }
    // Others share the thread.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return {
    suite: name,
    version: shadow.version,
    against: {
      suite: name,
      versions: [...versions].map(([version, evaluations]) => ({ version, evaluations })),
      configured: live?.version,
    },
    counted: { compared: comparison.compared, ...NOTHING_ASKED },
    ...comparison.figures(() => 'said by both'),
    joined: alone.totals('after'),
    conversations: await named(comparison, reader),
    neverCalled: [],
    judges: [],
    alerts: undefined,
  };
}
