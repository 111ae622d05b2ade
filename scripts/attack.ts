/**
 * npm run attack -- [--short] [--only <pattern>] [--json]
 *
 * Attacks every route of a real service, made from its tables of routes: HTTP, the tools of MCP, OTLP over HTTP and gRPC.
 * See test/attack/attack.ts. Prints a row for each with its bounds. Exits with 1 if a route has no bounds or passed one, or
 * if no legal request to it succeeded. The same if the process ended or took three quarters of its 2 GiB, or if no limit of memory
 * could be set, which takes root. Without --short also if another client's OTLP took half a second (99th percentile).
 */
import { parseArgs } from 'node:util';
import { attack, type RouteReport } from '../test/attack/attack.ts';

const MEMORY_BYTES = 2 * 2 ** 30;
/** Share of its memory that the process may take. */
const MEMORY_SHARE_MAX = 0.75;
const P99_MS_MAX = 500;
/** Routes that answer nothing here but why: nobody can sign in, and no level has fallen. */
const NEVER_SUCCEED = new Set([
  'GET /auth/login',
  'GET /auth/callback',
  'POST /auth/logout',
  'POST /api/v1/detection/accept',
]);

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const report = await attack({
  conversations: values.short ? 2_000 : 20_000,
  memoryBytes: MEMORY_BYTES,
  loopMs: values.short ? 150 : 2_000,
  crowd: values.short ? 24 : 100,
  withSender: !values.short,
  only: values.only === undefined ? undefined : new RegExp(values.only),
  onRoute: (row) => process.stderr.write(`${lineOf(row)}\n`),
});
const problems = [
  ...report.without_bounds.map((route) => `${route} has no bounds: give it some in test/attack/bounds.ts`),
  ...report.routes.flatMap(({ route, passed }) => passed.map((bound) => `${route} passed its bound of ${bound}`)),
  ...report.routes
    .filter(({ route, succeeded }) => succeeded === 0 && !NEVER_SUCCEED.has(route))
    .map(({ route }) => `${route} was not attacked: no legal request succeeded`),
  ...report.routes
    .filter(({ attacked_p99_ms: p99 = 0 }) => p99 >= P99_MS_MAX)
    .map(({ route, attacked_p99_ms: p99 }) => `${route} made another client wait ${p99} ms (99th percentile)`),
  ...(report.survived ? [] : ['the process ended']),
  ...(report.rss_mib_max < (MEMORY_BYTES / 2 ** 20) * MEMORY_SHARE_MAX
    ? []
    : [`the process took ${report.rss_mib_max} MiB of 2 GiB`]),
  ...(report.memory_limit === 'cgroup' ? [] : ['no limit of memory could be set, which takes root']),
];
if (values.json) process.stdout.write(`${JSON.stringify({ ...report, problems })}\n`);
else process.stdout.write(`${report.routes.length} routes attacked, at most ${report.rss_mib_max} MiB\n`);
for (const problem of problems) process.stderr.write(`attack: ${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

function lineOf({ route, bounds, ...figures }: RouteReport): string {
  const latency =
    figures.attacked_p99_ms === undefined ? '' : `, OTLP p99 ${figures.calm_p99_ms} -> ${figures.attacked_p99_ms} ms`;
  return (
    `${route}: ${figures.succeeded} of ${figures.requests} requests succeeded, ` +
    `${figures.answer_bytes} of ${bounds.answerBytes} bytes (x${figures.amplification}), ` +
    `receiving ${figures.receiving_ms} of ${bounds.receivingMs} ms, ` +
    `memory +${figures.memory_mib} of ${bounds.memoryMiB} MiB (${figures.rss_mib}), ` +
    `after leaving ${figures.after_leaving_ms} of ${bounds.afterLeavingMs} ms${latency}` +
    (figures.passed.length === 0 ? '' : `, PASSED: ${figures.passed.join(', ')}`)
  );
}
