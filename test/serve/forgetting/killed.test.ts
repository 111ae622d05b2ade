import type { ForgettableNames } from '../../../src/store/engine-store.ts';
import { readingOf } from '../../../src/model/readings.ts';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { loadSettings, type Settings } from '../../../src/config/settings.ts';
import { journalIn } from '../../../src/serve/one-machine/examination.ts';
import { Journal } from '../../../src/journal/journal.ts';
import { askedConversation, forget, type ForgettingPlaces } from '../../../src/serve/forgetting/forget.ts';
import { forgetStopped, inStopped } from '../../../src/serve/one-machine/forget-stopped.ts';
import { createExperiment } from '../../../src/store/experiment/experiment-folder.ts';
import { readExperiment } from '../../../src/store/experiment/read-experiment.ts';
import { StoreReader } from '../../../src/store/sqlite/store-reader.ts';
import { transcodeTraces } from '../../../src/otlp/json-transcoder.ts';
import { randomFrom } from '../../random.ts';
import { exportRequest } from '../../simulation/traffic.ts';
import { Store } from '../../../src/store/sqlite/store.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { runService } from '../running-service.ts';
import { assay } from '../../assay-command.ts';
import { filesWith, spansOf, traceOf } from './folder.ts';
import { rounds } from '../../rounds.ts';

type Turn = Parameters<typeof spansOf>[0];
/** A conversation as the API shows it. */
interface Shown {
  readonly conversation?: { readonly turns: number };
  readonly evaluations?: readonly unknown[];
}

const SECRET = 'heron-quartz';
/** As the index of words has it. */
const WORD = 'quartz';
const OTHER = 'willow-basalt';
const USER = 'ana@example.com';
const MEANT = ['meant-0', 'meant-1', 'meant-2'];
const OTHERS = ['other-0', 'other-1', 'other-2', 'other-3'];
const STAYS_OPEN = { ASSAY_TURN_IDLE: '1h', ASSAY_TURN_MAX_AGE: '2h' };
/** Files are copied many times, and those of the journal are a 128th of this. */
const SMALL = { ASSAY_JOURNAL_MAX_BYTES: '128MiB' };
const WAIT = { timeout: 20_000, interval: 50 };

function settingsOf(dataDir: string): Settings {
  return loadSettings({ flags: {}, env: { ...SMALL, ASSAY_DATA_DIR: dataDir }, cwd: dataDir }).settings;
}

function turns(random: () => number): { readonly scored: readonly Turn[]; readonly open: readonly Turn[] } {
  const all = [...MEANT, ...OTHERS].flatMap((conversation, index) => {
    const isMeant = MEANT.includes(conversation);
    const one = (number: number): Turn => ({
      conversation,
      user: isMeant ? USER : `bo-${index}@example.com`,
      trace: traceOf(index * 10 + number),
      // Some are compressed.
      text: `${isMeant ? SECRET : OTHER} ${'and so on '.repeat(random() < 0.2 ? 3000 : 3)}`,
      calls: 1 + Math.floor(random() * 3),
    });
    return [one(0), { ...one(1), isLast: true }, { ...one(2), isOpen: true }];
  });
  const shuffled = all
    .map((turn) => ({ turn, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ turn }) => turn);
  return { scored: shuffled.filter(({ isOpen }) => isOpen !== true), open: shuffled.filter(({ isOpen }) => isOpen) };
}

/** Scored conversations, each with a turn that is open, truth and labels, experiments and answers of judges. */
async function fill(dataDir: string, random: () => number): Promise<void> {
  const running = await runService({ suites: ['default'], dataDir, env: { ...SMALL, ...STAYS_OPEN } });
  const json = (method: string, address: string, body: string) =>
    fetch(address, { method, headers: { 'content-type': 'application/json' }, body });
  const { scored, open } = turns(random);
  const sendAll = async (all: readonly Turn[]) => {
    for (let at = 0; at < all.length; ) {
      const some = all.slice(at, at + 1 + Math.floor(random() * 4));
      at += some.length;
      const sent = await json(
        'POST',
        `${running.otlp}/v1/traces`,
        exportRequest(some.flatMap((turn) => spansOf(turn)) as never, 'v1'),
      );
      expect(sent.status).toBe(200);
    }
  };
  await sendAll(scored);
  for (const id of [...MEANT, ...OTHERS]) {
    await vi.waitFor(async () => {
      const body = (await (await fetch(`${running.http}/api/conversations/${id}`)).json()) as Shown;
      expect([body.conversation?.turns, (body.evaluations?.length ?? 0) > 0]).toEqual([2, true]);
    }, WAIT);
    const text = MEANT.includes(id) ? SECRET : OTHER;
    await json('PUT', `${running.http}/v1/truth/${id}`, JSON.stringify({ note: text }));
    const said = { suite: 'default', criterion: 'answered', label: 'pass', by: 'eve', note: text };
    expect((await json('PUT', `${running.http}/v1/labels/${id}`, JSON.stringify(said))).status).toBe(200);
  }
  await sendAll(open);
  await running.service.stop();
  // As if an earlier command had asked judges, and an agent been tried.
  const answers = new DatabaseSync(path.join(dataDir, 'judge-answers.db'));
  answers.exec(
    `CREATE TABLE answers (key BLOB PRIMARY KEY, outcome TEXT NOT NULL, ended_at INTEGER NOT NULL) WITHOUT ROWID`,
  );
  answers.prepare('INSERT INTO answers VALUES (?, ?, 1)').run(Buffer.from('00', 'hex'), SECRET);
  answers.close();
  experiment(dataDir);
}

function experiment(dataDir: string): void {
  const folder = createExperiment(path.join(dataDir, 'experiments'), {
    id: 'e1',
    name: 'e',
    startedAt: '2026-01-01T00:00:00.000Z',
    endedAt: undefined,
    dataset: { name: 'd', version: '1', file: 'd.yaml', fingerprint: 'f', cases: 2 },
    agent: { kind: 'command', target: 'agent', version: undefined },
    git: undefined,
    suites: [],
    repeats: 1,
    seed: 1,
    assayVersion: 'test',
  });
  for (const [index, id] of ['meant-0', 'other-0', 'run-of-user'].entries()) {
    const turn: Turn = {
      conversation: id,
      user: id === 'other-0' ? 'bo@example.com' : USER,
      trace: traceOf(900 + index),
      text: id === 'other-0' ? OTHER : SECRET,
    };
    const bytes = transcodeTraces(Buffer.from(exportRequest(spansOf(turn) as never, 'v1')));
    folder.append(
      {
        case: `case ${index}`,
        caseFingerprint: 'f',
        tags: [],
        repeat: 1,
        conversationId: id,
        end: 'completed',
        problem: turn.text,
        startedAt: '2026-01-01T00:00:00.000Z',
        durationMs: 1,
        evaluations: [],
        effort: {
          steps: 1,
          llmCalls: 1,
          toolCalls: 1,
          inputTokens: undefined,
          outputTokens: undefined,
          costUsd: undefined,
        },
      },
      { traces: [Buffer.from(bytes)], logs: [] },
    );
  }
  folder.close();
}

/** Conversations that are stored and whose content can be read, and rows of the journal that wait. */
async function contentOf(dataDir: string): Promise<{ readonly stored: readonly string[]; readonly waiting: number }> {
  const reader = StoreReader.open(path.join(dataDir, 'assay.db'));
  const stored = reader
    .list({ limit: 100 })
    .filter((row) => reader.traces(row).every((trace) => (reader.content(trace)?.traces.length ?? 0) > 0))
    .map(({ conversationId }) => conversationId as string)
    .sort();
  reader.close();
  const { journal, recovered } = await Journal.open({
    ...journalIn(dataDir),
    segmentBytes: 1 << 20,
    maxBytes: 1 << 40,
    floor: { position: 0, logTime: 0 },
    onEvent: () => {},
  });
  await journal.stop();
  return { stored, waiting: recovered.length };
}

/** Does it with a copy of the folder made before and after each step, and in the middle of each rewriting. */
async function copiesWhile(dataDir: string, about: ForgettableNames): Promise<readonly string[]> {
  const copies: string[] = [];
  const copy = () => {
    const to = tempDirectory();
    cpSync(dataDir, to, { recursive: true });
    copies.push(to);
  };
  const watched = ({ store, log, ...places }: ForgettingPlaces): ForgettingPlaces => ({
    ...places,
    store: {
      take: async (step) => {
        copy();
        const answer = await store.take(step);
        copy();
        return answer;
      },
    },
    log:
      log === undefined
        ? undefined
        : {
            place: log.place,
            rewrite: async (edit) => {
              let isFirst = true;
              await log.rewrite((record) => {
                if (isFirst) copy();
                isFirst = false;
                return edit(record);
              });
              copy();
            },
          },
  });
  const result = await inStopped(settingsOf(dataDir), (places) =>
    forget({ about, dryRun: false, dropSetAside: false }, watched(places)),
  );
  expect(result.is).toBe('forgotten');
  copy();
  return copies;
}

const CASES = [
  { name: 'a user', about: { conversation: undefined, users: [USER] }, gone: MEANT },
  { name: 'a conversation', about: { conversation: askedConversation('meant-1'), users: [] }, gone: ['meant-1'] },
] as const;

test('whatever is forgotten, and wherever it is killed, another try leaves no byte of it and all of the others', async () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  const random = randomFrom(seed);
  const filled = tempDirectory();
  await fill(filled, random);
  const before = await contentOf(filled);
  expect(before.stored, `seed ${seed}`).toEqual([...MEANT, ...OTHERS].sort());
  expect(filesWith(filled, [SECRET, WORD]).length).toBeGreaterThan(3);

  for (const { name, about, gone } of CASES) {
    const dataDir = tempDirectory();
    cpSync(filled, dataDir, { recursive: true });
    const copies = await copiesWhile(dataDir, about);
    expect(copies.length).toBeGreaterThan(10);
    // The texts of a conversation are found by its id, which is in all of its spans and of its rows.
    const texts = name === 'a user' ? [SECRET, WORD, USER, ...MEANT] : ['meant-1'];
    for (const [index, killed] of copies.entries()) {
      // Some of them in each run, so that it does not take minutes.
      if (random() > (name === 'a user' ? rounds(50, 20) : rounds(20, 10)) / 100) continue;
      const where = `seed ${seed}, ${name}, copy ${index} of ${copies.length}`;
      const settings = settingsOf(killed);
      const result = await forgetStopped(settings, { about, dryRun: false, dropSetAside: false });

      expect(result.is, where).toBe('forgotten');
      expect(filesWith(killed, texts), where).toEqual([]);
      const after = await contentOf(killed);
      expect(after.stored, where).toEqual(before.stored.filter((id) => !(gone as readonly string[]).includes(id)));
      expect(filesWith(killed, [OTHER]).toSorted(), where).toEqual(filesWith(filled, [OTHER]).toSorted());
      const runs = readExperiment(path.join(killed, 'experiments/e1')).runs.map(({ conversationId }) => conversationId);
      expect(runs, where).toEqual(name === 'a user' ? ['other-0'] : ['meant-0', 'other-0', 'run-of-user']);
    }
  }
}, 300_000);

test('a service that starts where forgetting was killed does not bring anything back', async () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  const filled = tempDirectory();
  await fill(filled, randomFrom(seed));
  const copies = await copiesWhile(filled, CASES[0].about);
  // Before the transaction nothing is forgotten; from then on all is, whatever is in the files.
  const killed = await Promise.all(copies.map(async (copy) => ({ copy, ...(await contentOf(copy)) })));
  const dropped = killed.filter(({ stored }) => stored.length === OTHERS.length);
  const first = dropped.find(({ copy }) => filesWith(path.join(copy, 'journal'), [SECRET, WORD]).length > 0);
  if (first === undefined) throw new Error('no copy was made between the store and the journal');
  const running = await runService({ suites: ['default'], dataDir: first.copy, env: SMALL });

  // The open turns of the others close.
  for (const id of OTHERS)
    await vi.waitFor(async () => {
      const body = (await (await fetch(`${running.http}/api/conversations/${id}`)).json()) as Shown;
      expect(body.conversation?.turns).toBe(3);
    }, WAIT);
  for (const id of MEANT) expect((await fetch(`${running.http}/api/conversations/${id}`)).status).toBe(404);

  await fetch(`${running.http}/api/v1/conversations/nobody`, { method: 'DELETE' });
  await running.service.stop();

  expect(filesWith(path.join(first.copy, 'journal'), [SECRET, WORD])).toEqual([]);
  expect(filesWith(path.join(first.copy, 'content'), [SECRET, WORD])).toEqual([]);
  expect(filesWith(first.copy, [SECRET, WORD]).filter((file) => file.startsWith('assay.db'))).toEqual([]);
}, 120_000);

test('the command works on a stopped folder, says what would go, and asks about files that were set aside', () => {
  const dataDir = tempDirectory();
  mkdirSync(path.join(dataDir, 'journal/quarantine'), { recursive: true });
  writeFileSync(path.join(dataDir, 'journal/quarantine/64.bin'), SECRET);
  const run = (...more: readonly string[]) =>
    assay(['forget', '--data-dir', dataDir, '--http-port', '1', ...more], { cwd: dataDir });

  expect(run('--user', USER, '--conversation', 'x').status).toBe(2);
  const dry = run('--user', USER, '--dry-run');
  expect([dry.status, dry.stdout]).toEqual([0, '0 conversations, 1 file that was set aside would be forgotten\n']);
  const refused = run('--user', USER);
  expect([refused.status, refused.stderr]).toEqual([3, expect.stringContaining('64.bin')]);
  expect(filesWith(dataDir, [SECRET, WORD])).toEqual(['journal/quarantine/64.bin']);
  const done = run('--user', USER, '--drop-set-aside', '--json');
  expect(JSON.parse(done.stdout)).toEqual({
    forgotten: true,
    conversations: 0,
    ground_truths: 0,
    readings: 0,
    labels: 0,
    experiment_runs: 0,
    set_aside_files: 1,
  });
  expect(filesWith(dataDir, [SECRET, WORD, USER])).toEqual([]);
});

test('it says what goes of a conversation that has only ground truth, readings and labels', () => {
  const dataDir = tempDirectory();
  const store = Store.open(path.join(dataDir, 'assay.db'));
  store.truths.put('ghost', { note: SECRET });
  for (const label of ['csat', 'refund'])
    store.readings.put([readingOf({ conversationId: 'ghost', label, isGood: true, value: SECRET, case: undefined })]);
  for (const by of ['ann', 'bo', 'cy'])
    store.labels.put([
      { conversationId: 'ghost', turnId: undefined, suite: 's', criterion: 'c', label: 'pass', by, note: SECRET },
    ]);
  store.truths.put('other', { note: 'of another' });
  store.close();
  const run = (...more: readonly string[]) =>
    assay(['forget', '--data-dir', dataDir, '--http-port', '1', '--conversation', 'ghost', ...more], { cwd: dataDir });

  expect(run('--dry-run').stdout).toBe('0 conversations, 1 ground truth, 2 readings, 3 labels would be forgotten\n');
  expect(run().stdout).toBe('0 conversations, 1 ground truth, 2 readings, 3 labels forgotten\n');
  expect(filesWith(dataDir, [SECRET])).toEqual([]);
  expect(filesWith(dataDir, ['of another'])).toEqual(['assay.db']);
  expect(run().stdout).toBe('0 conversations forgotten\n');
});
