/** A suite that has changed is learned from stored conversations, and watched at once. */
import { afterAll, expect, test } from 'vitest';
import type { CompiledSuite } from '../../src/score/suite/suite.ts';
import { forFile } from '../for-file.ts';
import { randomFrom } from '../random.ts';
import { tempDirectory } from '../temp-directory.ts';
import { Machine } from './learned-suite.ts';
import { removeDirectories, suiteOf } from './recorded.ts';

const suite = (version: string, more = '') => `suite: care
version: "${version}"
scope: turn
criteria:
  - { name: looked, question: Did it look before it answered?, weight: 0.6, check: size(tool_calls) > 0 }
  - { name: there, question: Did it answer?, weight: 0.4, check: size(steps) > 0 }
${more}`;
const SHORT = '  - { name: short, question: Few steps?, weight: 0.2, check: size(steps) < 9 }\n';
const EDITED = suite('2', SHORT).replace('weight: 0.6', 'weight: 0.4');
const WEEK = 7 * 24 + 1;

afterAll(removeDirectories);

async function livedAWeek(seed: number): Promise<Machine> {
  const machine = new Machine({ directory: tempDirectory(), suite: await suiteOf(suite('1')), seed });
  machine.live(WEEK, 0.9);
  return machine;
}

const week = forFile(() => livedAWeek(4));

/** `seed` is for the time from then on. */
async function afterAWeek(seed: number): Promise<{ readonly machine: Machine; readonly edited: CompiledSuite }> {
  return { machine: week().copyTo(tempDirectory(), seed), edited: await suiteOf(EDITED) };
}

test('a suite is edited after seven days: it is watched at once, and a fall of a day later is told', async () => {
  const { machine, edited } = await afterAWeek(4);
  const before = machine.contents();

  machine.restart(edited);
  await machine.learn();
  const [watched, after] = [machine.stateOf('tcr'), machine.contents()];
  machine.live(24, 0.9);
  const calm = machine.stateOf('tcr');
  machine.live(48, 0.55);

  expect(machine.learned).toEqual([{ suite: 'care', conversations: 6 * WEEK, problem: undefined }]);
  expect(watched).toBe('ok');
  expect(calm).toBe('ok');
  expect(machine.stateOf('criterion', 'short')).toBe('ok');
  expect(machine.stateOf('tcr')).toBe('regressed');
  // Nothing of the past is counted or stored.
  expect(after).toEqual(before);
}, 120_000);

test('another segment is configured: a fall of one of its parts is told as that of the part', async () => {
  const machine = await livedAWeek(12);
  await machine.learn();

  machine.restart(undefined, undefined, ['plan']);
  await machine.learn();
  const watched = machine.stateOf('tcr');
  machine.live(48, 0.9, undefined, 0.2);

  const tcr = machine.report?.levels.find(({ metric }) => metric === 'tcr');
  expect([watched, tcr?.state]).toEqual(['ok', 'regressed']);
  expect(tcr?.causes?.[0]?.parts).toEqual(['segment: gold']);
  expect(tcr?.segmentParts?.map((one) => ('segment' in one ? one.segment : ''))).toContain('gold');
}, 120_000);

test('without stored conversations it learns as a new suite does', async () => {
  const machine = new Machine({ directory: tempDirectory(), suite: await suiteOf(suite('1')), seed: 5 });
  machine.live(1, 0.9);

  await machine.learn();

  expect(machine.stateOf('tcr')).toBe('learning');
  expect(machine.report?.learning).toEqual([]);
}, 120_000);

test('crashes, restarts and parts that come twice leave what was learned as if nothing had happened', async () => {
  const calm = await afterAWeek(6);
  const troubled = await afterAWeek(6);
  const random = randomFrom(61);
  let crashes = 0;

  calm.machine.restart(calm.edited);
  calm.machine.round();
  calm.machine.live(3, 0.9);
  await calm.machine.learn();
  troubled.machine.restart(troubled.edited);
  troubled.machine.round();
  troubled.machine.live(3, 0.9);
  await troubled.machine.learn((part) => {
    const chance = random();
    if (chance < 0.2) {
      crashes += 1;
      expect(() => troubled.machine.round([part], 'before commit')).toThrow('power is gone');
      troubled.machine.restart();
    } else if (chance < 0.4) {
      crashes += 1;
      troubled.machine.round([part]);
      troubled.machine.restart();
    } else if (chance < 0.6) troubled.machine.round([part, part]);
  });

  expect(crashes).toBeGreaterThan(1);
  expect(troubled.machine.learned).toEqual(calm.machine.learned);
  expect(troubled.machine.report?.levels).toEqual(calm.machine.report?.levels);
}, 120_000);

test('what comes in while it learns is observed once, after what was before', async () => {
  const during = await afterAWeek(7);
  const after = await afterAWeek(7);

  during.machine.restart(during.edited);
  during.machine.round();
  let parts = 0;
  await during.machine.learn(() => {
    parts += 1;
    if (parts === 2) during.machine.live(30, 0.5);
  });
  after.machine.restart(after.edited);
  await after.machine.learn();
  after.machine.live(30, 0.5);

  expect(during.machine.stateOf('tcr')).toBe('regressed');
  expect(after.machine.stateOf('tcr')).toBe('regressed');
  expect(during.machine.report?.levels.map(({ change }) => change)).toEqual(
    after.machine.report?.levels.map(({ change }) => change),
  );
}, 120_000);

test('an evaluation by the suite of before that comes late does not throw away what was learned', async () => {
  const { machine, edited } = await afterAWeek(8);
  const late = machine.waiting();
  machine.restart(edited);
  await machine.learn();

  machine.between((store) => {
    store.begin();
    store.detection.add({ ...late, at: machine.at });
    store.commit();
  });
  machine.round();

  expect(machine.stateOf('tcr')).toBe('ok');
  expect(machine.report?.keptOut).toMatchObject({ unwatched: 1 });
}, 120_000);

const JUDGED = `suite: care
version: "1"
scope: turn
criteria:
  - { name: helpful, question: Was it helpful?, weight: 0.6, judge: { by: judge } }
  - { name: looked, question: Did it look before it answered?, weight: 0.4, check: size(tool_calls) > 0 }
`;
const judgeOf = (fingerprint: string) => () => ({ fingerprint, evidenceTokens: 2000, share: 1 });

const judgedWeek = forFile(async () => {
  const machine = new Machine({
    directory: tempDirectory(),
    suite: await suiteOf(JUDGED),
    judge: judgeOf('old'),
    seed: 9,
  });
  machine.live(8 * 24, 0.9, { passes: (grade) => grade > 0.1, lost: 0 });
  return machine;
});

/** The old judge passes grades from 0.1 on, and the new one from 0.25 on. */
async function withAnotherJudge(lost: number) {
  const machine = judgedWeek().copyTo(tempDirectory(), 10);
  machine.restart(undefined, judgeOf('new'));
  let asked = 0;
  await machine.learn(() => {
    asked += machine.answerJudges((grade) => grade > 0.25);
  });
  const watched = machine.stateOf('tcr');
  machine.live(72, 0.9, { passes: (grade) => grade > 0.25, lost });
  return { asked, watched, machine, moved: machine.report?.judges[0]?.moved };
}

test('the judge of a suite becomes stricter: a sample asked by both says by how much, and no fall is told', async () => {
  const { asked, watched, machine, moved } = await withAnotherJudge(0);

  expect(asked).toBe(200);
  expect(watched).toBe('ok');
  expect(machine.stateOf('tcr')).toBe('ok');
  expect(machine.stateOf('criterion', 'helpful')).toBe('ok');
  expect(machine.report?.recent.filter(({ kind }) => kind === 'judges')).toHaveLength(1);
  expect(moved?.byJudges).toBeCloseTo(-0.09, 1);
  expect(Math.abs(moved?.byOthers ?? 1)).toBeLessThan(0.04);
}, 300_000);

test('the agent falls in the hour in which the judge changes: both are told, each with its points', async () => {
  const { machine, moved } = await withAnotherJudge(0.3);

  expect(machine.stateOf('tcr')).toBe('regressed');
  expect(machine.stateOf('criterion', 'helpful')).toBe('regressed');
  expect(machine.stateOf('criterion', 'looked')).toBe('ok');
  expect(moved?.byOthers).toBeLessThan(-0.1);
  expect(moved?.byJudges).toBeCloseTo(-0.09, 1);
}, 300_000);

test('an edit that keeps the version is learned, and an unchanged suite is not', async () => {
  const machine = new Machine({ directory: tempDirectory(), suite: await suiteOf(suite('1')), seed: 10 });
  machine.live(1, 0.9);
  await machine.learn();
  machine.restart();
  const unchanged = machine.round().learning;

  machine.restart(await suiteOf(EDITED.replace('"2"', '"1"')));

  expect(unchanged).toEqual([]);
  expect(machine.round().learning).toMatchObject([{ suite: 'care', stage: 'counting', done: 0 }]);
}, 60_000);

test('a past that cannot be observed is given up, and the detection in use goes on', async () => {
  const machine = new Machine({ directory: tempDirectory(), suite: await suiteOf(suite('1')), seed: 11 });
  machine.live(2, 0.9);
  const [wanted] = machine.round().learning;
  if (wanted === undefined) throw new Error('nothing is wanted');

  machine.round([{ ...(await machine.part(wanted)), observed: [[machine.at, 'no JSON']] }]);

  expect(machine.learned).toEqual([{ suite: 'care', conversations: 0, problem: expect.stringContaining('JSON') }]);
  expect(machine.report?.learning).toEqual([]);
  expect(machine.report?.observed).toBe(12);
  expect(machine.stateOf('tcr')).toBe('learning');
}, 60_000);
