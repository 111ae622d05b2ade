/** A judge that grades steps, the whole way: what it was paid for is in the JSON of `score`, in the store, in the API and in `explain`. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { assayHere } from '../assay-here.ts';
import { startProvider } from '../ask/provider.ts';
import { metricsOf, runService, sumOf } from '../serve/running-service.ts';
import { excerptRequest } from '../../src/score/suite-test/excerpt-request.ts';
import { tempDirectory } from '../temp-directory.ts';

const SUITE = `suite: steps
scope: conversation
golden: { files: golden.yaml }
criteria:
  - { name: right_steps, question: Were the steps right?, weight: 1, judge: { uses: step_correctness } }
`;
const GOLDEN = `id: gt_1
input: Extend my loan of book 17
steps: [{ tool: find_loan }, { tool: extend_loan }, { tool: send_receipt }]
`;
const CONVERSATION = {
  is: 'excerpt',
  agent: 'library',
  version: '1',
  environment: undefined,
  attributes: new Map(),
  state: undefined,
  turns: [
    {
      user: 'Extend my loan of book 17',
      calls: [
        [{ tool: 'find_loan', args: { book: 17 }, result: { due: 1 }, error: undefined }],
        [{ tool: 'extend_loan', args: { book: 71 }, result: { due: 8 }, error: undefined }],
      ],
      answer: 'Done.',
      finish: 'stop',
      error: undefined,
      state: undefined,
    },
  ],
} as const;
const SAID = JSON.stringify({
  right_steps: {
    quotes: [],
    step_1: { reason: 'It found the loan.', score: 1 },
    step_2: { reason: 'It extended another book.', score: 0 },
  },
});
const STEPS = [
  { step: 1, tool: 'find_loan', score: 1, reason: 'It found the loan.' },
  { step: 2, tool: 'extend_loan', score: 0, reason: 'It extended another book.' },
  { step: 3, tool: 'send_receipt', score: 0, reason: 'It was not made.' },
];

test('each grade stands with its step in JSON, store, API and explain', async () => {
  const provider = await startProvider(() => ({ say: SAID }));
  const dataDir = tempDirectory();
  const write = (name: string, text: string) => writeFileSync(path.join(dataDir, name), text);
  write('steps.yaml', SUITE);
  write('golden.yaml', GOLDEN);
  write(
    'assay.yaml',
    `suites: [./steps.yaml]\njudges: { default: { provider: openai, model: m, base_url: ${provider.url} } }\n`,
  );
  const request = excerptRequest(CONVERSATION, undefined);
  write('recorded.jsonl', `${request}\n`);

  const scored = await assayHere(['score', 'recorded.jsonl', '--judges', '--json'], { cwd: dataDir });
  const running = await runService({ suites: ['./steps.yaml'], dataDir });
  const headers = { 'content-type': 'application/json' };
  await fetch(`${running.otlp}/v1/traces`, { method: 'POST', headers, body: request });
  while (sumOf(await metricsOf(running), 'assay_evaluations_total') < 1)
    await new Promise((done) => setTimeout(done, 50));
  const inApi: unknown = await (await fetch(`${running.http}/api/conversations/example`)).json();
  await running.service.stop();
  const explained = await assayHere(['explain', 'example', '--data-dir', dataDir], { cwd: dataDir });

  const verdict = { verdict: 'fail', judged_by: { judge: 'default', model: 'played-1' }, steps: STEPS };
  expect(JSON.parse(scored.stdout)).toMatchObject({ evaluations: [{ verdicts: { right_steps: verdict } }] });
  expect(inApi).toMatchObject({ evaluations: [{ verdicts: { right_steps: verdict } }] });
  const lines = explained.stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | ').trim());
  const at = lines.findIndex((line) => line.includes('step 1 find_loan'));
  expect(lines.slice(at, at + 5)).toEqual([
    '| step 1 find_loan | 1: It found the loan.',
    expect.stringMatching(/^\| at turn 1, tool find_loan \(span [0-9a-f]{16}\)$/),
    '| step 2 extend_loan | 0: It extended another book.',
    expect.stringMatching(/^\| at turn 1, tool extend_loan \(span [0-9a-f]{16}\)$/),
    '| step 3 send_receipt | 0: It was not made.',
  ]);
}, 60_000);
