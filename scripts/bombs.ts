/**
 * npm run bombs -- [--count 200] [--memory-mib 2048] [--json]
 *
 * Attacks a service with requests that take much more memory than they have bytes, and reports whether it lives, its
 * highest memory, and the latency of another client beside its latency in the calm before. See test/simulation/bombs.ts.
 * Exits with 1 if the process ended, came near its limit, made others wait, or if no limit of memory could be set
 * (which takes root).
 */
import { parseArgs } from 'node:util';
import { bombs } from '../test/simulation/bombs.ts';

/** By how much the 99th percentile of others may grow. */
const P99_MORE_MS_MAX = 500;
/** Share of the memory limit that the process may reach. */
const MEMORY_SHARE_MAX = 0.75;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    'memory-mib': { type: 'string', default: '2048' },
    json: { type: 'boolean', default: false },
  },
});
const report = await bombs({
  count: Number(values.count),
  memoryBytes: Number(values['memory-mib']) * 2 ** 20,
  calmSeconds: 3,
  attackSeconds: 10,
  onProgress: (line) => process.stderr.write(`${line}\n`),
});
const kept =
  report.survived &&
  report.memory_limit === 'cgroup' &&
  report.rss_mib_max <= Number(values['memory-mib']) * MEMORY_SHARE_MAX &&
  report.attacks.every(({ calm_p99_ms, attacked_p99_ms }) => attacked_p99_ms - calm_p99_ms <= P99_MORE_MS_MAX);
process.stdout.write(`${values.json ? JSON.stringify(report) : JSON.stringify(report, null, 2)}\n`);
process.exitCode = kept ? 0 : 1;
