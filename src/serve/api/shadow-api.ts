/** `GET /api/v1/shadow`: what suites in shadow say beside the live ones, from the store. */
import { z } from 'zod';
import { backtestJson } from '../../report/documents/backtest-json.ts';
import { jsonAnswer } from '../../report/http/answer.ts';
import { reading } from '../../report/http/route.ts';
import type { BacktestReader } from '../../backtest/another-suite.ts';
import { shadowReports } from '../../backtest/shadow-report.ts';
import type { SuiteOutline } from '../../engine/suite-outline.ts';
import { timeAsked } from '../../api/shapes.ts';

/** Others wait for the thread that answers, and two evaluations are read for each. */
const LIMIT_MAX = 20_000;
/** Evaluations of a suite among which those of an agent or a version are looked for, if not more are asked for. */
const LOOKED_AT_MAX = 2_000;
const SHOWN_MAX = 1000;
const shadowSchema = z
  .strictObject({
    suite: z.string().optional(),
    agent: z.string().optional(),
    agent_version: z.string().optional(),
    since: timeAsked.optional(),
    limit: z.coerce.number().int().min(1).max(LIMIT_MAX).default(2000),
    changed: z.coerce.number().int().min(0).max(SHOWN_MAX).default(20),
  })
  .transform(({ agent_version: agentVersion, changed: shown, ...query }) => ({ ...query, agentVersion, shown }));

interface ShadowSide {
  readonly reader: BacktestReader;
  /** Suites that run, live or in shadow. */
  readonly suites: () => readonly SuiteOutline[];
}

export const listShadows = reading(shadowSchema, async (side: ShadowSide, query) => {
  const reports = await shadowReports({
    reader: side.reader,
    suites: side.suites(),
    lookedAtMax: Math.max(LOOKED_AT_MAX, query.limit),
    ...query,
  });
  return jsonAnswer(200, { shadows: reports.map(backtestJson) });
});
