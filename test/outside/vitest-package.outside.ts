/**
 * docs/score/vitest.md as a new user follows it: a small project with Assay installed from the output of `npm pack`,
 * the files shown on the page, the type checker, and Vitest. Needs a registry of npm packages.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { packInto } from './pack.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const EXAMPLE = path.join(ROOT, 'examples/golden-traces');
/** Vitest's and npm's processes run on the Node that this one runs on. */
const ENV = {
  ...process.env,
  PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`,
};

const AGENT = `import { SpanStatusCode, trace } from '@opentelemetry/api';

export async function answer(request: string): Promise<string> {
  const tracer = trace.getTracer('agent');
  return tracer.startActiveSpan('invoke_agent scheduler', async (root) => {
    const said = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
    const time = request.includes('late') ? '2026-03-02T11:00' : '2026-03-02T10:00';
    tracer.startActiveSpan('execute_tool book_meeting', (span) => {
      span.setAttributes({
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'book_meeting',
        'gen_ai.tool.call.arguments': JSON.stringify({ participants: ['ana'], time, duration: 30 }),
        'gen_ai.tool.call.result': JSON.stringify({ status: 'ok' }),
      });
      span.setStatus({ code: SpanStatusCode.OK });
      span.end();
    });
    const text = \`Booked for you: \${time}, with Ana.\`;
    root.setAttributes({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'scheduler',
      'gen_ai.input.messages': said('user', request),
      'gen_ai.output.messages': said('assistant', text),
    });
    root.end();
    return text;
  });
}
`;

const MAIN = `import { NodeSDK } from '@opentelemetry/sdk-node';
import { answer } from './agent.ts';

const sdk = new NodeSDK();
sdk.start();
console.log(await answer(process.argv[2] ?? ''));
await sdk.shutdown();
`;

/** Tests that must fail, to see their messages. */
const WRONG = `import { conversationOf, expectConversation } from 'assay/vitest';
import { test } from 'vitest';
import { answer } from './agent.ts';

const truth = { participants: ['ana'], time: '2026-03-02T10:00' };

test('a wrong time', async () => {
  const run = await conversationOf(() => answer('Book it late.'), { truth });
  await expectConversation(run).toPass('scheduling');
});

test('a wrong way', async () => {
  await expectConversation('runs.jsonl', { id: 'lucky' }).toFollowGolden('gt_001', { suite: 'tickets.yaml' });
});

test('an assertion that nobody awaits', async () => {
  void expectConversation('runs.jsonl', { id: 'good' }).toPass('tickets.yaml');
});
`;

const project = mkdtempSync(path.join(tmpdir(), 'assay-vitest-'));

function run(command: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: project, env: ENV, encoding: 'utf8' });
  return { status, stdout, output: stripVTControlCharacters(`${stdout}${stderr}`) };
}

beforeAll(async () => {
  const { devDependencies, dependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const tarball = path.basename(await packInto(project, ENV));
  const versionOf = (name: string) => dependencies[name] ?? devDependencies[name];
  const wanted = ['@opentelemetry/api', '@opentelemetry/sdk-node', '@types/node', 'typescript', 'vitest'];
  writeFileSync(
    path.join(project, 'package.json'),
    JSON.stringify({
      private: true,
      type: 'module',
      devDependencies: {
        assay: `file:${tarball}`,
        ...Object.fromEntries(wanted.map((name) => [name, versionOf(name)])),
      },
    }),
  );
  writeFileSync(
    path.join(project, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        target: 'es2024',
        module: 'nodenext',
        strict: true,
        noEmit: true,
        allowImportingTsExtensions: true,
        types: ['node'],
        skipLibCheck: false,
      },
      include: ['*.ts'],
    }),
  );
  for (const name of ['runs.jsonl', 'tickets.yaml']) copyFileSync(path.join(EXAMPLE, name), path.join(project, name));
  cpSync(path.join(EXAMPLE, 'golden'), path.join(project, 'golden'), { recursive: true });
  const docs = readFileSync(path.join(ROOT, 'docs/score/vitest.md'), 'utf8');
  for (const [, name = '', code = ''] of docs.matchAll(/```ts\n\/\/ ([\w.]+)\n([\s\S]*?)```/g)) {
    writeFileSync(path.join(project, name), code);
  }
  writeFileSync(path.join(project, 'agent.ts'), AGENT);
  writeFileSync(path.join(project, 'main.ts'), MAIN);
  writeFileSync(path.join(project, 'wrong.test.ts'), WRONG);
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'], {
    cwd: project,
    env: ENV,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
});

test('the files that the page shows are TypeScript without mistakes, matchers included', () => {
  const { status, stdout } = run('npx', 'tsc');

  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
});

test('the tests that the page shows pass', () => {
  // Vitest's own five seconds pass while the first test loads the engine on a machine with other work.
  const { status, output } = run('npx', 'vitest', 'run', '--testTimeout=60000', '--exclude', 'wrong.test.ts');

  expect(status, output).toBe(0);
  expect(output).toMatch(/Tests {2}6 passed \(6\)/);
});

test('what is wrong fails, readably, and so does an assertion that nobody awaits', () => {
  const { status, output } = run('npx', 'vitest', 'run', 'wrong.test.ts');

  expect(status).toBe(1);
  expect(output).toMatch(/Tests {2}3 failed \(3\)/);
  expect(output).toContain('correct_time fail: Another time was booked than asked for');
  expect(output).toMatch(/- correct_time: pass\s+\+ correct_time: fail/);
  expect(output).toContain('expected lucky to follow golden trace gt_001 (in_order)');
  expect(output).toMatch(
    /- search_tickets\(\{"account_id": "ACC-4821", "limit": 3\}\)\s+\+ search_tickets\(.*"limit": 50\}\)/,
  );
  expect(output).toContain('was not awaited');
});
