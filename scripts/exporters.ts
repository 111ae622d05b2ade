/**
 * npm run exporters -- [--conversations 10000] [--json]
 * Eight official exporters at once (JSON, protobuf, gRPC) against a real process. See test/simulation/exporters.ts.
 */
import { parseArgs } from 'node:util';
import { exportersTest } from '../test/simulation/exporters.ts';

const { values } = parseArgs({
  options: { conversations: { type: 'string', default: '10000' }, json: { type: 'boolean', default: false } },
});
const report = await exportersTest({
  conversations: Number(values.conversations),
  onProgress: (line) => process.stderr.write(`${line}\n`),
});
const complete =
  report.failed_exports === 0 && report.spans_stored === report.spans_exported && report.evaluation_mismatches === 0;
process.stdout.write(
  values.json
    ? `${JSON.stringify(report)}\n`
    : `${complete ? 'Complete' : 'INCOMPLETE'}: ${JSON.stringify(report, null, 2)}\n`,
);
process.exitCode = complete ? 0 : 1;
