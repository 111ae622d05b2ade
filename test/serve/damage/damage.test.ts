/**
 * Every file of a data folder, damaged in eight ways: nothing is lost without a word, and no more than the damaged part.
 * The folder is listed, so that a new file must find its place here.
 */
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import {
  ALL,
  BATCH,
  damage,
  DAMAGES,
  type DamageDone,
  filesOf,
  makeFolders,
  type Outcome,
  SCORED,
  startOn,
} from './damaged-folder.ts';
import { randomFrom } from '../../random.ts';
import { rounds } from '../../rounds.ts';

/** In memory where there is such a folder: a thousand syncs of a disk are half a minute. */
const parent = mkdtempSync(path.join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'assay-damage-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

interface Expected {
  /** Reports that must be among those of the start. */
  readonly reports?: string;
  readonly asks: boolean;
  readonly remainingMin: number;
  /** With what `assay journal recover` reads back. */
  readonly recoverableMin: number;
  readonly or?: Expected;
}

const HARMLESS: Expected = { asks: false, remainingMin: ALL, recoverableMin: ALL };
const asks = (reports: string, lost: number, recoverableMin = ALL - lost): Expected => ({
  reports,
  asks: true,
  remainingMin: ALL - lost,
  recoverableMin,
});
function either(one: Expected, other: Expected): Expected {
  return { ...one, or: other };
}

/** A segment of 64 KiB has two records of a batch; the third begins in the next one. */
const SEGMENT_TURNS = 2 * BATCH;

/** The content has what is lost with the database, and a start destroys nothing of it. */
const DATABASE = {
  missing: asks('store-missing', SCORED, ALL),
  empty: asks('store-missing', SCORED, ALL),
  half: asks('store-unreadable', SCORED, ALL),
  older: asks('store-unreadable', SCORED, ALL),
  foreign: asks('store-unreadable', SCORED, ALL),
  // Bytes inside a row's text, and pages that the WAL has: nobody misses a turn. Which pages lie there changes with the
  // schema, and damage to the structure of one is found.
  head: either(HARMLESS, asks('store-unreadable', SCORED, ALL)),
  middle: either(HARMLESS, asks('store-unreadable', SCORED, ALL)),
  end: either(HARMLESS, asks('store-unreadable', SCORED, ALL)),
} satisfies Record<DamageDone, Expected>;

const WAL = Object.fromEntries(DAMAGES.map((how) => [how, asks('store-behind', 0)])) as Record<DamageDone, Expected>;

const CONTENT = {
  missing: asks('content-missing', SCORED),
  empty: asks('content-short', SCORED),
  half: asks('content-short', SCORED / 2 + BATCH),
  older: asks('content-short', SCORED),
  foreign: asks('content-replaced', SCORED),
  // The head of a piece is for those that no row refers to.
  head: HARMLESS,
  middle: { reports: 'content-damaged', asks: false, remainingMin: ALL - 1, recoverableMin: ALL - 1 },
  end: { reports: 'content-damaged', asks: false, remainingMin: ALL - 1, recoverableMin: ALL - 1 },
} satisfies Record<DamageDone, Expected>;

const SEGMENT = {
  missing: asks('segment-missing', SEGMENT_TURNS),
  empty: asks('segment-short', SEGMENT_TURNS),
  half: asks('segment-short', SEGMENT_TURNS),
  older: asks('journal-behind', SEGMENT_TURNS),
  foreign: asks('segment-unreadable', SEGMENT_TURNS),
  head: { reports: 'journal-corrupt', asks: false, remainingMin: ALL, recoverableMin: ALL },
  middle: { reports: 'journal-corrupt', asks: false, remainingMin: ALL - BATCH, recoverableMin: ALL - BATCH },
  // Behind the record that closes a segment.
  end: HARMLESS,
} satisfies Record<DamageDone, Expected>;

const LAST_SEGMENT = {
  ...SEGMENT,
  // Its second half was never written.
  half: { reports: 'segment-short', asks: false, remainingMin: ALL, recoverableMin: ALL },
  middle: HARMLESS,
} satisfies Record<DamageDone, Expected>;

const SALT = Object.fromEntries(
  DAMAGES.map((how) => {
    const reports = how === 'missing' || how === 'empty' ? 'salt-missing' : 'salt-changed';
    return [how, { ...HARMLESS, reports }];
  }),
) as Record<DamageDone, Expected>;

/** Files that hold nothing of a conversation. */
const WITHOUT_TURNS =
  /^(assay\.yaml|lock.*|judge-answers\.db.*|experiments\/.*|access\/.*|assay\.high-water|redaction-salt\.high-water|assay\.db-shm|journal\/spare-\d+)$/;

function expectedOf(name: string, how: DamageDone, lastSegment: string): Expected {
  if (name === 'assay.db') return DATABASE[how];
  if (name === 'assay.db-wal') return WAL[how];
  if (name.endsWith('.content')) return CONTENT[how];
  if (name === lastSegment) return LAST_SEGMENT[how];
  if (name.endsWith('.segment')) return SEGMENT[how];
  if (name === 'redaction-salt') return SALT[how];
  // An old mark names segments that are gone: better a question too many.
  if (name === 'journal.high-water') return how === 'older' ? asks('segment-missing', 0) : HARMLESS;
  expect(name, 'a file that the table does not know').toMatch(WITHOUT_TURNS);
  return HARMLESS;
}

function isAsExpected(outcome: Outcome, { or: other, ...expected }: Expected): boolean {
  if (other !== undefined && isAsExpected(outcome, other)) return true;
  const { reported, asks: asked, remaining, recoverable, reportedAgain } = outcome;
  return (
    asked === expected.asks &&
    (expected.reports === undefined || reported.includes(expected.reports)) &&
    remaining >= expected.remainingMin &&
    recoverable >= expected.recoverableMin &&
    // Nothing is lost silently, and the same loss is reported once.
    (remaining === ALL || reported.length > 0) &&
    reportedAgain.length === 0
  );
}

/** Per cent. */
const SHARE = rounds(100, 40);

test('no file of the folder can be damaged so that more than its part is lost, or anything silently', {
  timeout: 300_000,
}, async () => {
  const { base, older } = await makeFolders(parent);
  const names = filesOf(base);
  const lastSegment = names.filter((name) => name.endsWith('.segment')).at(-1) ?? '';
  const folder = path.join(parent, 'damaged');
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  const random = randomFrom(seed);
  const surprises: string[] = [];
  let rows = 0;
  for (const name of names) {
    for (const how of DAMAGES) {
      // Some of them in each run.
      if (random() * 100 > SHARE) continue;
      cpSync(base, folder, { recursive: true });
      if (damage(folder, name, how, older)) {
        rows += 1;
        const outcome = await startOn(folder);
        const expected = expectedOf(name, how, lastSegment);
        if (!isAsExpected(outcome, expected))
          surprises.push(`${name} ${how}: ${JSON.stringify(outcome)}, expected ${JSON.stringify(expected)}`);
      }
      rmSync(folder, { recursive: true });
    }
  }
  expect(surprises, `seed ${seed}`).toEqual([]);
  expect(rows).toBeGreaterThan(SHARE / 2);
});

test('a folder as it is left by kill -9, and a restored copy of a stopped one, are whole', {
  timeout: 120_000,
}, async () => {
  const whole = mkdtempSync(path.join(parent, 'whole-'));
  const { base, older } = await makeFolders(whole);

  const killed = await startOn(base);
  const restored = await startOn(older);

  expect(killed).toEqual({ reported: [], asks: false, remaining: ALL, recoverable: ALL, reportedAgain: [] });
  expect(restored).toMatchObject({ reported: [], asks: false, reportedAgain: [] });
});
