import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { CaseOrigin } from '../../../src/model/dataset.ts';
import type { Evaluation } from '../../../src/model/evaluation.ts';
import { FAILED_OUTCOMES } from '../../../src/model/severity.ts';
import { caseLine } from '../../../src/engine/recorded-case.ts';
import type { Selection } from '../../../src/offline/datasets/from-store.ts';
import { readDataset } from '../../../src/offline/datasets/read-dataset.ts';
import { StoreReader } from '../../../src/store/sqlite/store-reader.ts';
import { exportRequest, traffic, type TrafficConversation } from '../../simulation/traffic.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { builtinSuites, LogDriver } from '../../engine/log-driver.ts';
import { casesOf } from './stored-cases.ts';

interface Scene {
  readonly reader: StoreReader;
  readonly evaluations: readonly Evaluation[];
}

/** `prepare` changes what was recorded of a conversation. */
async function stored(
  conversations: readonly TrafficConversation[],
  prepare: (request: string, conversation: TrafficConversation) => string = (request) => request,
): Promise<Scene> {
  const directory = tempDirectory();
  const driver = new LogDriver({ directory, suites: await builtinSuites(['default', 'error-recovery']) });
  for (const conversation of conversations) {
    for (const turn of conversation.turns)
      driver.take({ at: 1000, request: prepare(exportRequest(turn, conversation.agentVersion), conversation) });
  }
  driver.between((store) => store.truths.put(conversations[0]?.id ?? '', { participants: ['Ana'] }));
  const { evaluations } = driver.finish();
  const reader = StoreReader.open(path.join(directory, 'store.db'));
  onTestFinished(() => reader.close());
  return { reader, evaluations };
}

interface Said {
  readonly role: string;
  readonly parts: readonly { readonly content: string }[];
}

/** The first thing in the messages of each turn. */
const asked = ({ turns }: TrafficConversation) =>
  turns.map((spans) => {
    const messages = spans
      .flatMap(({ attributes }) => attributes)
      .find(({ key }) => key === 'gen_ai.input.messages')?.value;
    // The cast holds for what the traffic writes.
    const { stringValue } = messages as { readonly stringValue: string };
    return (JSON.parse(stringValue) as readonly Said[]).find(({ role }) => role === 'user')?.parts[0]?.content;
  });

const CONVERSATIONS = [...traffic({ seed: 5, conversations: 40, endMarks: 'all' })];

test('recorded conversations are cases: what was asked, what is known, and where it comes from', async () => {
  const { reader, evaluations } = await stored(CONVERSATIONS);

  const { cases, leftOut } = await casesOf(reader);

  expect(leftOut).toEqual([]);
  expect(cases.map(({ id }) => id)).toEqual(reader.list({ limit: 100 }).map(({ conversationId }) => conversationId));
  for (const conversation of CONVERSATIONS) {
    const found = cases.find(({ id }) => id === conversation.id);
    expect(found?.turns).toEqual(asked(conversation));
    const outcomes = evaluations.flatMap(({ conversationId, suite, outcome }) =>
      conversationId === conversation.id ? [[suite, outcome]] : [],
    );
    expect(found?.from).toMatchObject({
      conversation: conversation.id,
      agent: 'simulated-agent',
      agentVersion: conversation.agentVersion,
    });
    expect(Object.keys(found?.from.outcomes ?? {})).toEqual([...new Set(outcomes.map(([suite]) => suite))].sort());
  }
  expect(cases.find(({ id }) => id === CONVERSATIONS[0]?.id)?.truth).toEqual({ participants: ['Ana'] });
  expect(cases.filter(({ truth }) => truth !== undefined)).toHaveLength(1);
});

test('what is written is a dataset, and the same one each time', async () => {
  const { reader } = await stored(CONVERSATIONS);
  const file = path.join(tempDirectory(), 'recorded.jsonl');
  const write = async () => {
    const { cases } = await casesOf(reader);
    writeFileSync(file, cases.map((one) => `${caseLine(one)}\n`).join(''));
    return { cases, text: readFileSync(file, 'utf8') };
  };

  const { cases, text } = await write();

  expect((await write()).text).toBe(text);
  const { dataset, mistakes } = readDataset(file);
  expect(mistakes).toEqual([]);
  expect(dataset?.cases.map(({ id, turns, truth, from }) => ({ id, turns, truth, from }))).toEqual(cases);
});

test('a selection is by outcome, suite, agent, version, time and number', async () => {
  const { reader, evaluations } = await stored(CONVERSATIONS);
  const expected = (claim: (evaluation: Evaluation) => boolean) =>
    new Set(evaluations.filter(claim).map(({ conversationId }) => String(conversationId)));
  const ids = async (selection: Partial<Selection>) => (await casesOf(reader, selection)).cases.map(({ id }) => id);
  const failed = (outcome: string) => FAILED_OUTCOMES.some((one) => one === outcome);

  const found = await ids({ outcomes: FAILED_OUTCOMES });
  expect(new Set(found)).toEqual(expected(({ outcome }) => failed(outcome)));
  expect(found.length).toBe(new Set(found).size);
  expect(found.length).toBeGreaterThan(3);
  const order = (await ids({})).filter((id) => found.includes(id));
  expect(found).toEqual(order);

  const bySuite = await ids({ outcomes: FAILED_OUTCOMES, suite: 'default' });
  expect(new Set(bySuite)).toEqual(expected(({ outcome, suite }) => failed(outcome) && suite === 'default'));
  expect(await ids({ outcomes: FAILED_OUTCOMES, limit: 2 })).toEqual(found.slice(0, 2));
  expect(new Set(await ids({ agentVersion: 'v1' }))).toEqual(
    new Set(CONVERSATIONS.filter(({ agentVersion }) => agentVersion === 'v1').map(({ id }) => id)),
  );
  expect(await ids({ agent: 'another' })).toEqual([]);
  expect(await ids({ since: Date.now() + 60_000 })).toEqual([]);
  expect(await ids({ since: Date.UTC(2020, 0, 1) })).toHaveLength(CONVERSATIONS.length);
});

test('a page at a time, all of them are found', async () => {
  const many = [...traffic({ seed: 6, conversations: 450, endMarks: 'all', turnsMax: 1, calls: [0, 0] })];
  const { reader } = await stored(many);

  const { cases } = await casesOf(reader);

  expect(new Set(cases.map(({ id }) => id)).size).toBe(450);
});

test('conversations that can not be run again are left out, and counted with the reason', async () => {
  const [first, second, third, fourth] = CONVERSATIONS;
  const { reader } = await stored(
    [first, second, third, fourth].flatMap((one) => one ?? []),
    (request, { id }) => {
      const messages = /("key":"gen_ai\.input\.messages","value":\{"stringValue":)"(?:[^"\\]|\\.)*"/g;
      const said = (text: string) => request.replace(messages, `$1"${text}"`);
      if (id === second?.id) return request.replaceAll('gen_ai.input.messages', 'private');
      if (id === third?.id) return said('[]');
      return id === fourth?.id ? said('[REDACTED]') : request;
    },
  );

  const { cases, leftOut } = await casesOf(reader);

  expect(cases.map(({ id }) => id)).toEqual([first?.id]);
  expect(leftOut.toSorted()).toEqual(['not_recorded', 'not_recorded', 'redacted']);
});

test('an unwieldy conversation id makes a plain one, the same each time', async () => {
  const [first] = CONVERSATIONS;
  const odd = 'x'.repeat(200);
  const { reader } = await stored(first === undefined ? [] : [first], (request) =>
    request.replaceAll(first?.id ?? '', odd),
  );

  const [one] = (await casesOf(reader)).cases;

  expect(one?.id).toMatch(/^recorded-[0-9a-f]{16}$/);
  expect(one?.from satisfies CaseOrigin | undefined).toMatchObject({ conversation: odd });
  expect((await casesOf(reader)).cases[0]?.id).toBe(one?.id);
});
