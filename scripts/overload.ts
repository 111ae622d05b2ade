/**
 * npm run overload -- [--seconds 60] [--clients 16] [--journal-mib 128] [--json]
 * Offers a service more than it can score and checks what it promises then. See test/simulation/overload.ts.
 */
import { parseArgs } from 'node:util';
import { overload } from '../test/simulation/overload.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    clients: { type: 'string', default: '16' },
    'journal-mib': { type: 'string', default: '128' },
    json: { type: 'boolean', default: false },
  },
});
const report = await overload({
  seconds: Number(values.seconds),
  clients: Number(values.clients),
  journalBytes: Number(values['journal-mib']) * 2 ** 20,
  onProgress: (line) => process.stderr.write(`${line}\n`),
});
const kept =
  report.wrong_refusals === 0 && report.refused_requests > 0 && report.turns_scored === report.turns_accepted;
process.stdout.write(
  values.json
    ? `${JSON.stringify(report)}\n`
    : `${kept ? 'Kept its promises' : 'BROKE ITS PROMISES'}: ${JSON.stringify(report, null, 2)}\n`,
);
process.exitCode = kept ? 0 : 1;
