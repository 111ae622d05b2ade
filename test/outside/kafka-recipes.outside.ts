/** The recipes of docs/operate/kafka.md for TLS and SASL, unchanged: with each of them a gateway reaches real brokers. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { freeListenPorts, startAssay } from '../simulation/process.ts';
import { exportRequest, traffic } from '../simulation/traffic.ts';
import { tempDirectory } from '../temp-directory.ts';
import { freshName, KAFKA_USERS, KafkaCluster } from './kafka/broker.ts';

const GUIDE = path.resolve(import.meta.dirname, '../../docs/operate/kafka.md');
const TOPIC = freshName('spans');
const CLIENT = { id: 'assay', secret: 'client-secret' };

let kafka: KafkaCluster;
let tokenUrl: string;

const tokens = createServer((request, response) => {
  const expected = Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString('base64');
  if (request.headers.authorization !== `Basic ${expected}`) {
    response.writeHead(401).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ access_token: unsignedToken(), token_type: 'bearer', expires_in: 600 }));
});

beforeAll(async () => {
  kafka = await KafkaCluster.start();
  await kafka.createTopic(TOPIC, 2);
  await new Promise<void>((resolve) => tokens.listen(0, '127.0.0.1', resolve));
  const address = tokens.address();
  if (address === null || typeof address === 'string') throw new Error('a server that listens has a port');
  tokenUrl = `http://127.0.0.1:${address.port}/token`;
});
afterAll(async () => {
  tokens.close();
  await kafka?.close();
});

test.for(recipes())('%s', async ([, recipe]) => {
  const directory = tempDirectory();
  const { certificates } = kafka;
  copyFileSync(certificates.caFile, path.join(directory, 'ca.crt'));
  const files = {
    'client.crt': certificates.client.cert,
    'client.key': certificates.client.key,
    password: `${KAFKA_USERS.alice}\n`,
    'client-secret': `${CLIENT.secret}\n`,
    kafka: `${unsignedToken()}\n`,
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(directory, name), content);
  const config = path.join(directory, 'assay.yaml');
  const written = recipe
    .replaceAll('/etc/assay-kafka', directory)
    .replaceAll('/var/run/secrets/tokens', directory)
    .replace('https://login.example/oauth2/token', tokenUrl)
    .replace('username: assay', 'username: alice');
  writeFileSync(config, written);

  const assay = await startAssay({
    dataDir: path.join(directory, 'data'),
    ports: await freeListenPorts(),
    arguments: ['--config', config],
    env: {
      ASSAY_KAFKA_BROKERS: kafka.listeners(recipe.includes('sasl:') ? 'SASLSSL' : 'SSL').join(','),
      ASSAY_KAFKA_ROLE: 'gateway',
      ASSAY_KAFKA_SPANS: TOPIC,
      // An authority that the system trusts.
      NODE_EXTRA_CA_CERTS: certificates.caFile,
    },
  });
  onTestFinished(() => assay.kill());
  const [conversation] = traffic({ seed: 1, conversations: 1 });
  const response = await fetch(`${assay.otlpHttp}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: exportRequest(conversation?.turns[0] ?? [], 'v1'),
  });

  expect([response.status, await response.text()]).toEqual([200, '{}']);
});

/** The recipes, keyed by the comment at their beginning. */
function recipes(): readonly (readonly [title: string, recipe: string])[] {
  const [, section = ''] = readFileSync(GUIDE, 'utf8').split('\n## TLS and SASL\n');
  const [own = ''] = section.split('\n## ');
  const found = [...own.matchAll(/```yaml\n# (.+)\n([\s\S]+?)```/g)].map(
    ([, title = '', recipe = '']) => [title, recipe] as const,
  );
  if (found.length < 5) throw new Error('docs/operate/kafka.md has fewer recipes than it had');
  return found;
}

/** The brokers of the tests accept unsigned tokens. */
function unsignedToken(): string {
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const now = Math.floor(Date.now() / 1000);
  return `${encoded({ alg: 'none' })}.${encoded({ sub: 'alice', iat: now, exp: now + 3600 })}.`;
}
