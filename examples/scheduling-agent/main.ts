/** The command line of the example agent. See README.md. */
import { parseArgs } from 'node:util';
import { FAULTS, parseFault } from './faults.ts';
import { type RegressAfter, runSchedulingAgent } from './run.ts';

const HELP = `node examples/scheduling-agent/main.ts [options]

  --endpoint <url>          OTLP/HTTP receiver                     http://127.0.0.1:4318
  --conversations <n>       how many to hold                       50
  --rate <n>                begun per second                       10
  --version <text>          version label of the agent             v1
  --environment <text>      where it runs                          demo
  --seed <n>                who the users are                      1
  --regress <faults>        ${FAULTS.join(',')}
  --regress-rate <share>    of conversations that go wrong         0.5
  --regress-after <n>       conversations, or seconds as in 30s    0
  --model-latency <ms>      about how long a model call takes      20
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      endpoint: { type: 'string', default: 'http://127.0.0.1:4318' },
      conversations: { type: 'string', default: '50' },
      rate: { type: 'string', default: '10' },
      version: { type: 'string', default: 'v1' },
      environment: { type: 'string', default: 'demo' },
      seed: { type: 'string', default: '1' },
      regress: { type: 'string', default: '' },
      'regress-rate': { type: 'string', default: '0.5' },
      'regress-after': { type: 'string', default: '0' },
      'model-latency': { type: 'string', default: '20' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const run = await runSchedulingAgent({
    endpoint: values.endpoint,
    conversations: numberOf('conversations', values.conversations),
    rate: numberOf('rate', values.rate),
    version: values.version,
    environment: values.environment,
    seed: numberOf('seed', values.seed),
    regress: values.regress.split(',').filter(Boolean).map(parseFault),
    regressRate: numberOf('regress-rate', values['regress-rate']),
    regressAfter: regressAfterOf(values['regress-after']),
    modelLatencyMs: numberOf('model-latency', values['model-latency']),
  });
  const byFault = Object.groupBy(run.conversations, ({ fault }) => fault ?? 'healthy');
  const counts = Object.entries(byFault).map(([fault, conversations]) => `${conversations?.length ?? 0} ${fault}`);
  process.stdout.write(`${run.version}: ${run.conversations.length} conversations (${counts.sort().join(', ')})\n`);
}

function numberOf(option: string, text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number) || number < 0) {
    throw new Error(`--${option} ${text}: a number that is not negative was expected`);
  }
  return number;
}

function regressAfterOf(text: string): RegressAfter {
  return text.endsWith('s')
    ? { seconds: numberOf('regress-after', text.slice(0, -1)) }
    : { conversations: numberOf('regress-after', text) };
}

try {
  await main();
} catch (error) {
  process.stderr.write(`scheduling-agent: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
