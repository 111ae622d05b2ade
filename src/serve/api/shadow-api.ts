/** Answers what suites in shadow say beside the live ones, from the store. */
import { backtestJson } from '../../report/documents/backtest-json.ts';
import type { ShadowQuery } from '../../report/http/http-server.ts';
import type { BacktestReader } from '../../backtest/backtest.ts';
import { shadowReports } from '../../backtest/shadow-report.ts';
import type { SuiteOutline } from '../../engine/suite-outline.ts';

export function shadowApi(parts: {
  /** Undefined while there is no store to read. */
  readonly reader: () => BacktestReader | undefined;
  /** Those that run, live or in shadow. */
  readonly suites: () => readonly SuiteOutline[];
}): (query: ShadowQuery) => Promise<unknown> {
  return async (query) => {
    const reader = parts.reader();
    const reports = reader === undefined ? [] : await shadowReports({ reader, suites: parts.suites(), ...query });
    return { shadows: reports.map(backtestJson) };
  };
}
