/** With `--json`, standard output is JSON and nothing else, so that it can be piped: every command that has the option. */
import { copyFileSync, cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { assayHere } from '../assay-here.ts';
import { startProvider } from '../ask/provider.ts';
import { runService, sendTurns } from '../serve/running-service.ts';
import { tempDirectory } from '../temp-directory.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const EXAMPLE = path.join(ROOT, 'examples/golden-traces');

/** By the file in `src/cli/commands` that declares the option. `URL` stands for a service, `DATA` for its folder. */
const COMMANDS: { readonly [file: string]: readonly string[] } = {
  'prefer.ts': ['prefer v1 v2 --more concise'],
  'dataset.ts': ['dataset check one.cases.yaml'],
  'run.ts': ['run one.cases.yaml --agent ./agent.mjs --suite default --name run --settle 10ms'],
  'detect.ts': ['detect --url URL'],
  'compare.ts': ['compare v1 v2'],
  'backtest.ts': ['backtest default --data-dir DATA'],
  'validity.ts': ['validity recorded.jsonl --suite default --outcomes csat.csv --good-from 4'],
  'learn.ts': ['learn two.jsonl --readings readings.csv --suite default'],
  'estimate.ts': ['estimate --agent none --url URL', 'estimate --agent none --explain --url URL'],
  'explain.ts': ['explain conversation --data-dir DATA', 'explain conversation --url URL'],
  'shadow.ts': ['shadow --config DATA/assay.yaml'],
  'doctor.ts': ['doctor --url URL'],
  'release.ts': ['release v2 --against v1 --agent helper --since 300d --url URL'],
  'gate.ts': ['gate v2 --baseline v1 --rules gate.yaml'],
  'suite-mutate.ts': ['suite mutate scheduling'],
  'score.ts': ['score runs.jsonl --suite default'],
  'inspect.ts': ['inspect runs.jsonl', 'inspect --url URL'],
  'suite.ts': ['suite test scheduling'],
  'experiments-import.ts': ['experiments import recorded.jsonl --name again --suite default'],
  'golden.ts': ['golden diff golden/gt_001.yaml lucky --file runs.jsonl'],
  'experiments.ts': ['experiments', 'show v1', 'show v1 7'],
  'forget.ts': ['forget --conversation nobody --url URL'],
  'journal.ts': ['journal recover --dry-run --data-dir DATA'],
  'store-check.ts': ['store check --data-dir .'],
  'token.ts': ['token list --data-dir DATA'],
  'labels.ts': ['labels import labels.csv --suite default --url URL'],
};
/** One needs a broker, and one has no end: test/outside/kafka/dead-letters.outside.ts and watch.test.ts parse their lines. */
const OUTSIDE = ['dead-letters.ts', 'watch.ts'];

test('no command with --json is missing here', () => {
  const declaring = globSync('*.ts', { cwd: path.join(ROOT, 'src/cli/commands') }).filter((file) =>
    readFileSync(path.join(ROOT, 'src/cli/commands', file), 'utf8').includes("'--json'"),
  );

  expect(declaring.toSorted()).toEqual([...Object.keys(COMMANDS), ...OUTSIDE].toSorted());
});

const line = (id: string, named: string, said: string) =>
  JSON.stringify({
    conversation_id: id,
    case: named,
    messages: [
      { role: 'user', content: 'When do you open?' },
      { role: 'assistant', content: said },
    ],
  });

async function readersFolder(judge: string): Promise<string> {
  const folder = tempDirectory();
  copyFileSync(path.join(EXAMPLE, 'runs.jsonl'), path.join(folder, 'runs.jsonl'));
  cpSync(path.join(EXAMPLE, 'golden'), path.join(folder, 'golden'), { recursive: true });
  const files = {
    'assay.yaml': `judges:\n  default:\n    provider: openai\n    model: played\n    base_url: ${judge}\n    prices: { input_per_million: 0, output_per_million: 0 }\n`,
    'one.cases.yaml': 'dataset: one\ncases:\n  - { id: opening, input: When do you open? }\n',
    'agent.mjs': `export const agent = () => ({ messages: [{ role: 'assistant', content: 'At nine.' }] });\n`,
    'recorded.jsonl': `${line('c-1', '7', 'We open at nine.')}\n${line('c-2', '8', 'We open at ten.')}\n`,
    'csat.csv': 'conversation_id,csat\nc-1,5\nc-2,1\n',
    'two.jsonl': `${['a', 'b', 'c', 'd', 'e'].map((id) => line(id, id, 'At nine.')).join('\n')}\n`,
    'readings.csv': 'conversation_id,answer\na,good\nb,bad\nc,bad\nd,bad\ne,bad\n',
    'labels.csv': 'conversation,criterion,label,by\nc-1,answered,pass,ann\n',
    'gate.yaml': 'rules: { tcr: { floor: 0.1 } }\n',
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(folder, file), text);
  return folder;
}

test('standard output is JSON and nothing else', async () => {
  const provider = await startProvider(() => ({
    say: JSON.stringify({
      first_is_more_concise: { quotes: [], reason: 'Shorter.', answer: true },
      second_is_more_concise: { quotes: [], reason: 'Longer.', answer: false },
    }),
  }));
  const cwd = await readersFolder(provider.url);
  const dataDir = tempDirectory();
  writeFileSync(path.join(dataDir, 'assay.yaml'), `data_dir: .\nshadow_suites: [./shadow.yaml]\n`);
  writeFileSync(
    path.join(dataDir, 'shadow.yaml'),
    readFileSync(path.join(ROOT, 'suites/default.yaml'), 'utf8').replace(/^version: .*$/m, "version: 'shadow'"),
  );
  const service = await runService({ suites: ['default'], dataDir });
  await sendTurns(service, { first: 1, turns: 1 });
  let conversation: string | undefined;
  while (conversation === undefined) {
    const listed = await (await fetch(`${service.http}/api/conversations?limit=1`)).text();
    conversation = /"conversation_id":"([^"]+)"/.exec(listed)?.[1];
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const run = (command: string) => {
    const words = command
      .split(' ')
      .map((word) => ({ URL: service.http, conversation })[word] ?? word.replace('DATA', dataDir));
    return assayHere(words, { cwd, env: { ASSAY_EXPERIMENTS: 'experiments' } });
  };
  for (const name of ['v1', 'v2']) {
    expect(await run(`experiments import recorded.jsonl --name ${name} --suite default`)).toMatchObject({ status: 0 });
  }

  const wrong: string[] = [];
  for (const command of Object.values(COMMANDS).flat()) {
    const { stdout, stderr } = await run(`${command} --json`);
    try {
      JSON.parse(stdout);
    } catch (error) {
      wrong.push(`${command}: ${String(error)}\n${stdout}\n${stderr}`);
    }
  }

  expect(wrong).toEqual([]);
}, 180_000);
