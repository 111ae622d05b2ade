/** Two projects of one process on Kafka and PostgreSQL: each has its topics and its database, over `kill -9` as well. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { conversationList } from '../../../src/api/conversation-list.ts';
import { freeListenPorts, startAssay } from '../../simulation/process.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { clusterServices } from './instance.ts';

const services = clusterServices();
const CONVERSATIONS = 40;

/** Two conversations of one turn: of the default project and of payments, as one Collector sends them. */
function body(number: number): string {
  const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } });
  const resourceSpans = [undefined, 'payments'].map((project, side) => ({
    resource: { attributes: project === undefined ? [] : [attribute('assay.project', project)] },
    scopeSpans: [
      {
        spans: [
          {
            traceId: `${number}${side}`.padStart(32, 'a'),
            spanId: `${number}${side}`.padStart(16, 'b'),
            ...{ name: 'invoke_agent', kind: 1 },
            ...{ startTimeUnixNano: String(Date.now() * 1e6), endTimeUnixNano: String(Date.now() * 1e6) },
            attributes: [
              attribute('gen_ai.operation.name', 'invoke_agent'),
              attribute('gen_ai.conversation.id', `c${number}-${project ?? 'default'}`),
            ],
          },
        ],
      },
    ],
  }));
  return JSON.stringify({ resourceSpans });
}

test('each project has its own topics and database, and one request for both reaches both once', async () => {
  const { kafka, postgres } = services();
  const folder = tempDirectory();
  const names = ['default', 'payments'] as const;
  for (const name of names) {
    await kafka.createTopic(`spans-${name}`, 2);
    const url = new URL(await postgres.createDatabase());
    writeFileSync(path.join(folder, `${name}.password`), url.password);
    url.password = '';
    const lines = [
      `data_dir: ./${name}`,
      'turn: { settle: 500ms }',
      'conversation: { idle: 1s }',
      `store: { url: '${url.href}', password_file: ./${name}.password }`,
      `kafka: { brokers: [${kafka.brokers.join(', ')}], group: ${name}, topics: { spans: [spans-${name}] }, clock_margin: 1s }`,
      ...(name === 'default' ? ['projects: { payments: ./payments.yaml }'] : []),
    ];
    writeFileSync(path.join(folder, `${name}.yaml`), lines.join('\n'));
  }
  const ports = await freeListenPorts();
  const start = () =>
    startAssay({
      dataDir: path.join(folder, 'default'),
      ports,
      env: { ASSAY_CONFIG: path.join(folder, 'default.yaml') },
    });
  let assay = await start();
  onTestFinished(async () => {
    await assay.stop();
  });
  const send = async (number: number): Promise<void> => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: body(number) };
    // The project may be away for a moment, and then the client sends again.
    await expect
      .poll(async () => (await fetch(`${assay.otlpHttp}/v1/traces`, init)).status, { timeout: 60_000 })
      .toBe(200);
  };
  for (let number = 0; number < CONVERSATIONS / 2; number += 1) await send(number);
  await assay.kill();
  assay = await start();
  for (let number = CONVERSATIONS / 2 - 5; number < CONVERSATIONS; number += 1) await send(number);

  for (const name of names) {
    const ids = async () => {
      const headers = { 'assay-project': name };
      const answer = await fetch(`${assay.http}/api/v1/conversations?limit=200`, { headers });
      if (answer.status !== 200) return [];
      return conversationList
        .parse(await answer.json())
        .conversations.map((one) => one.conversation_id)
        .toSorted();
    };
    const expected = Array.from({ length: CONVERSATIONS }, (_, number) => `c${number}-${name}`).toSorted();
    await expect.poll(ids, { timeout: 60_000 }).toEqual(expected);
    // The turns that came again were scored again, and what they had counted was withdrawn.
    const counted = async () => {
      const metrics = await (await fetch(`${assay.http}/metrics`, { headers: { 'assay-project': name } })).text();
      const sum = (of: string) => {
        const lines = metrics.matchAll(new RegExp(`^${of}\\{[^}]*suite="default"[^}]*\\} (\\d+)`, 'gm'));
        return [...lines].reduce((all, [, count]) => all + Number(count), 0);
      };
      return sum('assay_evaluations_total') - sum('assay_evaluations_withdrawn_total');
    };
    await expect.poll(counted, { timeout: 60_000 }).toBe(CONVERSATIONS);
  }
}, 300_000);
