/** Every authentication that a broker may require, and the message when it fails. */
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } from 'kafkajs';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { KafkaConnection, KafkaSasl, KafkaTls } from '../../../src/kafka/kafka-connection.ts';
import { KafkajsProducer } from '../../../src/kafka/kafkajs/producer.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { freshName, KAFKA_USERS, KafkaCluster } from './broker.ts';
import { Reader, until } from './reader.ts';
import { send } from './sending.ts';

const LOGIN_HOLDS_MS = 13_000;
let kafka: KafkaCluster;

beforeAll(async () => {
  // Clients begin to renew ten seconds earlier.
  kafka = await KafkaCluster.start({
    authorize: true,
    properties: { 'connections.max.reauth.ms': `${LOGIN_HOLDS_MS}` },
  });
  for (const user of ['alice', 'oauth-user'])
    await grant(user, AclResourceTypes.TOPIC, 'open', ['READ', 'WRITE', 'DESCRIBE']);
  for (const user of ['alice', 'oauth-user']) await grant(user, AclResourceTypes.GROUP, 'open', ['READ']);
});
afterAll(() => kafka?.close());

/** Applies to all names with this prefix. */
async function grant(
  user: string,
  resourceType: AclResourceTypes,
  prefix: string,
  operations: readonly (keyof typeof AclOperationTypes)[],
) {
  const admin = await kafka.admin();
  await admin.createAcls({
    acl: operations.map((operation) => ({
      resourceType,
      resourceName: prefix,
      resourcePatternType: ResourcePatternTypes.PREFIXED,
      principal: `User:${user}`,
      host: '*',
      operation: AclOperationTypes[operation],
      permissionType: AclPermissionTypes.ALLOW,
    })),
  });
}

async function openTopic(prefix = 'open'): Promise<string> {
  const topic = freshName(prefix);
  await kafka.createTopic(topic);
  await send(kafka, topic, ['hello']);
  return topic;
}

function readerWith(connection: KafkaConnection, topic: string, group = freshName('open')): Reader {
  const reader = new Reader({ connection, group, topics: [topic] }).start();
  onTestFinished(() => reader.stop());
  return reader;
}

const alice = (
  mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512',
  password: string = KAFKA_USERS.alice,
): KafkaSasl => ({
  mechanism,
  username: 'alice',
  password,
});

function unsecuredToken(subject: string): string {
  const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url');
  const seconds = Math.floor(Date.now() / 1000);
  return `${part({ alg: 'none' })}.${part({ sub: subject, iat: seconds, exp: seconds + 600 })}.`;
}

test.each(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const)(
  'SASL %s lets in, with and without TLS',
  async (mechanism) => {
    const topic = await openTopic();

    const plain = readerWith({ brokers: kafka.listeners('SASL'), sasl: alice(mechanism) }, topic);
    const tls = { ca: kafka.certificates.ca };
    const encrypted = readerWith({ brokers: kafka.listeners('SASLSSL'), tls, sasl: alice(mechanism) }, topic);
    const producer = new KafkajsProducer({
      connection: { brokers: kafka.listeners('SASLSSL'), tls, sasl: alice(mechanism) },
    });
    onTestFinished(() => producer.stop());
    await producer.send(topic, [{ key: undefined, value: Buffer.from('again') }]);

    await until('both read', () => plain.count() === 2 && encrypted.count() === 2);
  },
);

test('where brokers limit how long a login holds, it is renewed on the same connections', async () => {
  const topic = await openTopic();
  const reader = readerWith({ brokers: kafka.listeners('SASL'), sasl: alice('SCRAM-SHA-256') }, topic);
  await until('it reads', () => reader.count() === 1);

  await new Promise((resolve) => setTimeout(resolve, LOGIN_HOLDS_MS * 1.5));
  await send(kafka, topic, ['later']);
  await until('it reads on', () => reader.count() === 2);

  expect(reader.problems).toEqual([]);
  expect(reader.told).toHaveLength(1);
});

test('an OAuth token is read from its file, again for each connection', async () => {
  const topic = await openTopic();
  const file = path.join(tempDirectory(), 'token');
  writeFileSync(file, 'not a token');
  const sasl = { mechanism: 'OAUTHBEARER', token: { file } } as const;
  const reader = readerWith({ brokers: kafka.listeners('SASL'), sasl }, topic);
  await until('it is refused', () => reader.problem !== undefined);

  writeFileSync(file, `${unsecuredToken('oauth-user')}\n`);

  await until('it reads', () => reader.count() === 1);
  await until('the problem is over', () => reader.problem === undefined);
});

test('an OAuth token is fetched with client credentials', async () => {
  const topic = await openTopic();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      asked.push(`${request.headers.authorization} ${body}`);
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({ access_token: unsecuredToken('oauth-user'), token_type: 'bearer', expires_in: 600 }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const token = { tokenUrl: `http://localhost:${port}/token`, clientId: 'id', clientSecret: 's e', scope: 'kafka' };

  const reader = readerWith({ brokers: kafka.listeners('SASL'), sasl: { mechanism: 'OAUTHBEARER', token } }, topic);

  await until('it reads', () => reader.count() === 1);
  expect(asked).toEqual([
    `Basic ${Buffer.from('id:s%20e').toString('base64')} grant_type=client_credentials&scope=kafka`,
  ]);
});

test('a client certificate is shown where there is one, and a server name where it is not the host', async () => {
  const topic = await openTopic();
  await grant('CN=client', AclResourceTypes.TOPIC, 'open', ['READ', 'DESCRIBE']);
  await grant('CN=client', AclResourceTypes.GROUP, 'open', ['READ']);
  const tls: KafkaTls = { ca: kafka.certificates.ca, ...kafka.certificates.client, serverName: 'kafka.test' };

  const reader = readerWith({ brokers: kafka.listeners('SSL'), tls }, topic);

  await until('it reads', () => reader.count() === 1);
});

const MISTAKES: readonly (readonly [string, () => KafkaConnection, RegExp])[] = [
  [
    'a wrong password',
    () => ({ brokers: kafka.listeners('SASL'), sasl: alice('SCRAM-SHA-512', 'wrong') }),
    /refuse.*(password|let us in)/,
  ],
  [
    'a wrong password (PLAIN)',
    () => ({ brokers: kafka.listeners('SASL'), sasl: alice('PLAIN', 'wrong') }),
    /refuse.*(password|let us in)/,
  ],
  [
    'an authority that is not known',
    () => ({ brokers: kafka.listeners('SSL'), tls: {} }),
    /certificate is not accepted.*Set the right ca/,
  ],
  [
    'a name that the certificate has not',
    () => ({ brokers: kafka.listeners('SSL'), tls: { ca: kafka.certificates.ca, serverName: 'other' } }),
    /certificate is not accepted.*serverName/,
  ],
  [
    'TLS where there is none',
    () => ({ brokers: kafka.listeners('PLAIN'), tls: { ca: kafka.certificates.ca } }),
    /does not speak TLS|closes the connection/,
  ],
  ['no TLS where there is', () => ({ brokers: kafka.listeners('SSL') }), /wants TLS/],
  ['no SASL where there is', () => ({ brokers: kafka.listeners('SASL') }), /SASL/],
  ['a host that is not there', () => ({ brokers: ['nowhere.invalid:9092'] }), /host name is unknown/],
];

test.each(MISTAKES)('%s is said to be so', async (_, connection, said) => {
  const topic = await openTopic();

  const reader = readerWith(connection(), topic);

  await until('it says what is wrong', () => reader.problem !== undefined);
  expect(reader.problem).toMatch(said);
  expect(reader.problem).not.toContain('wrong-password');
});

test('missing rights are said to be missing, by what they are for, and it goes on once they are given', async () => {
  const topic = await openTopic('closed');
  const group = freshName('closed');
  const reader = readerWith({ brokers: kafka.listeners('SASL'), sasl: alice('PLAIN') }, topic, group);

  await until(
    'the topic is said',
    () => reader.problem?.includes(`no right to topic ${topic}. Grant this user Read`) === true,
  );
  await until(
    'the group is said',
    () => reader.problem?.includes(`no right to consumer group ${group}. Grant this user Read`) === true,
  );
  await grant('alice', AclResourceTypes.GROUP, group, ['READ']);
  await grant('alice', AclResourceTypes.TOPIC, topic, ['DESCRIBE']);
  await until('it may see but not read', () => reader.owned.length === 1);
  await until('that is said', () => reader.problem?.includes(`no right to topic ${topic}`) === true);
  await grant('alice', AclResourceTypes.TOPIC, topic, ['READ']);

  await until('it reads', () => reader.count() === 1);
  await until('the problem is over', () => reader.problem === undefined);
});

test('a producer without rights is told so at once', async () => {
  const topic = await openTopic('closed');
  const producer = new KafkajsProducer({ connection: { brokers: kafka.listeners('SASL'), sasl: alice('PLAIN') } });
  onTestFinished(() => producer.stop());

  const sending = producer.send(topic, [{ key: undefined, value: Buffer.from('x') }]);

  await expect(sending).rejects.toMatchObject({
    message: expect.stringContaining(`no right to topic ${topic}`),
    retriable: false,
  });
});
