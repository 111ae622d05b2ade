/**
 * A conversation whose every text holds characters that nobody sees and that a terminal or a browser obeys, and a suite that
 * quotes them: no route and no command lets one through.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { assayHere } from '../assay-here.ts';
import { exportRequest, type TrafficSpan } from '../simulation/traffic.ts';
import { tempDirectory } from '../temp-directory.ts';
import { runService } from './running-service.ts';
import { setTimeout as sleep } from 'node:timers/promises';

/** Some of each kind: C0, DEL, C1, direction, no width, separators, tags. */
const HIDDEN = '\u0007\u001b[31m\r\u007f\u009b31m\u0085\u202e\u2066\u200b\u200d\u2060\ufeff\u2028\u2029\u{e0041}\u061c';
const LEFT = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const hostile = (word: string) => `${word}${HIDDEN}${word}`;
const text = (key: string, value: string) => ({ key, value: { stringValue: value } });

function hostileTurn(id: string): readonly TrafficSpan[] {
  const traceId = 'ab'.repeat(16);
  const base = { traceId, kind: 1, startTimeUnixNano: '1790000000000000000', endTimeUnixNano: '1790000001000000000' };
  const message = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
  const failed = { code: 2, message: hostile('failed') };
  return [
    {
      ...base,
      spanId: 'a1'.repeat(8),
      name: hostile('invoke_agent'),
      status: failed,
      attributes: [
        text('gen_ai.operation.name', 'invoke_agent'),
        text('gen_ai.agent.name', hostile('agent')),
        text('gen_ai.agent.version', hostile('v1')),
        text('deployment.environment.name', hostile('production')),
        text('gen_ai.conversation.id', id),
        text('gen_ai.input.messages', message('user', hostile('asked'))),
        text('gen_ai.output.messages', message('assistant', hostile('answered'))),
        { key: 'assay.conversation.end', value: { boolValue: true } },
      ],
    },
    {
      ...base,
      spanId: 'b2'.repeat(8),
      parentSpanId: 'a1'.repeat(8),
      name: hostile('execute_tool'),
      status: failed,
      attributes: [
        text('gen_ai.operation.name', 'execute_tool'),
        text('gen_ai.tool.name', hostile('tool')),
        text('gen_ai.tool.call.arguments', JSON.stringify({ [hostile('key')]: hostile('value') })),
        text('gen_ai.tool.call.result', hostile('result')),
      ],
    },
  ];
}

const QUOTING = `suite: quoting
scope: conversation
criteria:
  - { name: quotes, question: Q?, weight: 0.5, check: "final_answer == ''", reason: "'It said ' + final_answer" }
  - { name: breaks, question: Q?, weight: 0.5, check: "int(final_answer) > 1" }
`;

test('no route, no log line and no command lets a hidden character of a conversation through', async () => {
  const directory = tempDirectory();
  writeFileSync(path.join(directory, 'quoting.yaml'), QUOTING);
  const id = hostile('conversation');
  const request = exportRequest(hostileTurn(id), hostile('service'));
  const running = await runService({ suites: [path.join(directory, 'quoting.yaml'), 'default'], dataDir: directory });
  await fetch(`${running.otlp}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: request,
  });
  const evaluated = async () => {
    const answer = await fetch(`${running.http}/api/conversations/${encodeURIComponent(id)}`);
    return (await answer.text()).includes('"quoting"');
  };
  while (!(await evaluated())) await sleep(100);

  const routes = [
    '/',
    '/metrics',
    '/readyz',
    '/api/conversations',
    `/api/conversations?agent=${encodeURIComponent(hostile('agent'))}`,
    `/api/conversations?limit=${encodeURIComponent(hostile('1'))}`,
    `/api/conversations/${encodeURIComponent(id)}`,
    `/api/conversations/${encodeURIComponent(hostile('no such'))}`,
    `/api/v1/spans/${encodeURIComponent(id)}`,
    `/api/v1/case/${encodeURIComponent(id)}`,
    `/api/v1/golden/${encodeURIComponent(id)}`,
    `/api/v1/test/${encodeURIComponent(id)}`,
    `/api/v1/conversations/${encodeURIComponent(id)}`,
    '/api/v1/export',
    '/api/detection',
    '/api/v1/shadow',
    `/api/v1/${encodeURIComponent(hostile('nowhere'))}`,
  ];
  for (const route of routes) {
    const body = await (await fetch(`${running.http}${route}`)).text();
    expect(body.match(LEFT)?.[0], route).toBeUndefined();
  }
  expect(running.lines.join('').match(LEFT)?.[0], 'log').toBeUndefined();

  writeFileSync(path.join(directory, 'recorded.jsonl'), request);
  const suite = ['--suite', 'quoting.yaml'];
  const offline = [
    ['score', 'recorded.jsonl', ...suite],
    ['score', 'recorded.jsonl', ...suite, '--json'],
    ['score', 'recorded.jsonl', '--suite', hostile('none')],
    ['inspect', 'recorded.jsonl'],
    ['inspect', 'recorded.jsonl', '--json'],
    ['validate', hostile('none.yaml')],
    [hostile('no-command')],
    ['score', hostile('--no-option')],
  ];
  for (const args of offline) {
    const { stdout, stderr } = await assayHere(
      args.map((one) => one.replaceAll('\0', '')),
      { cwd: directory },
    );
    expect(`${stdout}${stderr}`, args.join(' ')).not.toBe('');
    expect(`${stdout}${stderr}`.match(LEFT)?.[0], args.join(' ')).toBeUndefined();
  }
  for (const flags of [[], ['--json'], ['--why']]) {
    const { stdout, stderr } = await assayHere(['explain', id, '--url', running.http, ...flags], {
      cwd: tempDirectory(),
    });
    expect(stdout, stderr).toContain('quotes');
    expect(`${stdout}${stderr}`.match(LEFT)?.[0], `explain ${flags.join(' ')}`).toBeUndefined();
  }
}, 120_000);
