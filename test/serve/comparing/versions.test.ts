/** Two versions online over HTTP: the figures of `statistics/compare/online`, from spans to the answer. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { shareOf } from '../../../src/statistics/calibrate/estimate.ts';
import { outlineOf } from '../../../src/engine/suite-outline.ts';
import { moved } from '../../../src/api/moved.ts';
import type { GateJson } from '../../../src/api/gate.ts';
import { suiteList } from '../../../src/api/suite-list.ts';
import { trend } from '../../../src/api/trend.ts';
import { versionChecked } from '../../../src/api/version-check.ts';
import { type VersionsCompared, versionsCompared } from '../../../src/api/versions.ts';
import type { VersionReading } from '../../../src/model/detection.ts';
import { loadSuites } from '../../../src/score/load-suites.ts';
import { compareVersions } from '../../../src/serve/api/v1/version-compare.ts';
import { KeptResults } from '../../../src/serve/api/v1/kept-results.ts';
import { storeFileIn } from '../../../src/serve/store-place/data-directory.ts';
import { readerAt } from '../../../src/serve/store-place/open-reader.ts';
import { assayHere } from '../../assay-here.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { get } from '../api/v1/filled-service.ts';
import { answersLike, CALLS, of, send, startedWith } from './two-versions.ts';
import { metricsOf, type RunningService, sumOf } from '../running-service.ts';

function started(): Promise<RunningService> {
  return startedWith(
    (['v1', 'v2'] as const).flatMap((version) =>
      CALLS[version].map((calls, index) => ({ version, calls, attributes: { 'user.id': `${version} ${index}` } })),
    ),
  );
}

async function compared(running: RunningService, query: string): Promise<VersionsCompared> {
  const { status, body } = await get(running, `/api/v1/versions/compare?agent=helper&${query}`);
  expect([query, status]).toEqual([query, 200]);
  return versionsCompared.parse(body);
}

test('rates, scores, criteria and effort have intervals, chances and words, and what limits them is said', {
  timeout: 60_000,
}, async () => {
  const running = await started();

  const found = await compared(running, 'a=v1&b=v2');

  expect(found.success).toMatchObject({
    word: 'more_faults',
    paired: false,
    cases: 48,
    test: 'sequential',
    a: 23 / 24,
    b: 5 / 24,
    change: -18 / 24,
  });
  expect(found.success).toMatchObject({ lower: expect.closeTo(-1, 0) as number });
  expect(Object.values(found.a.because)).toEqual([{ looked: 1 }]);
  const over = trend.parse((await get(running, '/api/v1/trend?agent=helper&by=agent_version')).body);
  expect(over.series.map(({ key, because }) => [key, because])).toEqual([
    ['v1', found.a.because],
    ['v2', found.b.because],
  ]);
  expect(found.score).toMatchObject({ word: 'more_faults' });
  expect(found.steps_per_success).toMatchObject({ word: null, relative: true });
  expect(found.cost_per_success).toMatchObject({ word: null });
  expect(found.a).toMatchObject({ conversations: 24, evaluations: 24, cut: false, other_versions: 0 });
  expect(found.criteria.map(({ criterion, failed }) => [criterion, failed])).toEqual([
    ['looked', { a: 1, b: 18 }],
    ['few', { a: 0, b: 1 }],
  ]);
  expect(found.related).toEqual({ users: 48, unnamed_share: 0 });
  // The list of conversations finds as many.
  const { body } = await get(running, '/api/v1/conversations?suite=calls&criterion=looked&agent_version=v2&limit=50');
  expect((body as { conversations: unknown[] }).conversations).toHaveLength(18);
});

test('what people read of both versions comes first, for other users as well', { timeout: 60_000 }, async () => {
  const running = await started();
  const unread = await compared(running, 'a=v1&b=v2');
  expect(unread.a.estimated).toEqual({ says: 'No conversation has been read: how many went well is not known.' });
  expect(unread.notes.filter((note) => note.startsWith('Readings'))).toEqual([]);

  const readings = Array.from({ length: 48 }, (_, index) => ({
    ...{ conversation_id: `c-${index}`, by: 'ana' },
    answer: index < 24 ? 'good' : 'bad',
  }));
  const answer = await fetch(`${running.http}/v1/readings`, {
    ...{ method: 'PUT', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify(readings),
  });
  expect(answer.status).toBe(200);
  const { a, b, notes } = await compared(running, 'a=v1&b=v2');

  const exact = (value: number) => ({ value, low: value, high: value, n: 24 });
  expect([a.estimated?.success, b.estimated?.success]).toEqual([exact(1), exact(0)]);
  // Each has 24 users with one conversation.
  const by = Math.sqrt(Math.log(160) / 48);
  expect(a.estimated?.other_users).toMatchObject({ low: expect.closeTo(1 - by, 9) as number, high: 1 });
  expect(b.estimated?.other_users).toMatchObject({ low: 0, high: expect.closeTo(by, 9) as number });
  expect(notes[0]).toBe('Readings say that it goes well less often with B, for other users as well.');
  const { says } = (await get(running, '/api/v1/estimate?agent=helper&agent_version=v2')).body as { says: string };
  expect(b.estimated?.says).toBe(says);
});

test('detection and the comparison give one answer: its verdict is taken where it raced the same two', {
  timeout: 60_000,
}, async () => {
  const results = new KeptResults();
  const race = {
    ...{ suite: 'calls', agent: 'helper', environment: 'simulation', version: 'v2', baselineVersion: 'v1' },
    ...{ logEvidenceWorse: 5, logEvidenceBetter: -9, difference: -0.04 },
    verdict: 'worse' as const,
  };
  // Fewer failures than the comparison needs for a word of its own.
  const sent = (['v1', 'v2'] as const).flatMap((version) =>
    Array.from({ length: 30 }, (_, index) => ({ version, calls: version === 'v2' && index < 6 ? 0 : 1 })),
  );
  const dataDir = tempDirectory();
  await startedWith(sent, dataDir);
  const reader = await readerAt({ kind: 'sqlite', file: storeFileIn(dataDir) });
  const { suites } = await loadSuites(['./live.yaml'], { baseDir: dataDir, builtinDir: dataDir });
  const side = { reader, suites: () => suites.map(outlineOf), experiments: '/nowhere', idKeys: [], results };
  const ask = async (races: readonly VersionReading[], query: string) => {
    const question = { query: new URLSearchParams(`agent=helper&${query}`), parameters: new Map() };
    const { body } = await compareVersions.handle({ ...side, races }, question);
    return versionsCompared.parse(JSON.parse(String(body)));
  };

  const alone = await ask([], 'a=v1&b=v2');
  const raced = await ask([race], 'a=v1&b=v2');
  const turned = await ask([race], 'a=v2&b=v1');
  const ofSegment = await ask([race], 'a=v1&b=v2&segment=x');
  const better = await ask([{ ...race, verdict: 'better' }], 'a=v1&b=v2');
  await reader.close();

  expect(alone.success).toMatchObject({ word: 'not_enough_evidence', change: expect.closeTo(-0.2, 9) as number });
  expect(alone.related).toMatchObject({ users: 0, unnamed_share: 1 });
  expect(alone.notes).toEqual([
    'All conversations name no user and are taken as unrelated: name users (user.id on spans), or intervals may be too narrow.',
  ]);
  expect(raced.success).toMatchObject({ word: 'more_faults', upper: -1e-6, p: Math.exp(-5) });
  expect(raced.notes.at(-1)).toBe('Detection sees each conversation as it comes. Its verdict on v2: more faults.');
  expect(turned.success).toMatchObject({ word: 'fewer_faults', lower: 1e-6 });
  expect(better.success).toMatchObject({ word: 'not_enough_evidence' });
  expect(ofSegment.notes.some((note) => note.startsWith('Detection'))).toBe(false);
});

test('users and kinds are read from spans, and kept: a harder mix is no worse version', {
  timeout: 60_000,
}, async () => {
  // Hard conversations look in half of the cases, others always; v2 gets most of the hard ones.
  const sent = (['v1', 'v2'] as const).flatMap((version) =>
    Array.from({ length: 60 }, (_, index) => {
      const isHard = index < (version === 'v1' ? 12 : 48);
      return { version, isHard, calls: isHard ? index % 2 : 1, user: `${version} ${Math.floor(index / 2)}` };
    }),
  );
  const running = await startedWith(
    sent.map(({ isHard, user, ...one }) => ({
      ...one,
      attributes: { 'user.id': user, intent: isHard ? 'refund' : 'news' },
    })),
  );

  const found = await compared(running, 'a=v1&b=v2');

  // Half of all are hard.
  expect(found.success).toMatchObject({ a: 0.75, b: 0.75, change: 0, word: 'not_enough_evidence' });
  expect([found.a.success?.value, found.b.success?.value]).toEqual([0.9, 0.6]);
  expect(found.related).toEqual({ users: 60, unnamed_share: 0 });
  expect(found.notes).toEqual([]);
  // The score itself did fall, by the mix alone.
  const { body } = await get(running, '/api/v1/moved?version=v2&against_version=v1');
  const { parts, difference } = moved.parse(body);
  expect(difference?.high).toBeLessThan(0);
  expect(parts).toEqual([{ kind: 'mix', name: 'mix', points: expect.closeTo(difference?.value ?? 0, 6) }]);
});

test('users who come back widen intervals, to the same ones on every surface', { timeout: 60_000 }, async () => {
  // Each version has twelve users with five conversations, which all look or all do not.
  const sent = (['v1', 'v2'] as const).flatMap((version) =>
    Array.from({ length: 60 }, (_, index) => {
      const user = index % 12;
      return {
        version,
        calls: user < (version === 'v1' ? 10 : 7) ? 1 : 0,
        attributes: { 'user.id': `${version} ${user}` },
      };
    }),
  );
  const running = await startedWith(sent);
  const ask = async <Shape extends z.ZodType>(place: string, shape: Shape): Promise<z.output<Shape>> =>
    shape.parse((await get(running, `/api/v1/${place}`)).body);

  const { a, success, related } = await compared(running, 'a=v1&b=v2');
  const trends = await ask('trend?by=agent_version', trend);
  const moving = await ask('moved?version=v2&against_version=v1', moved);
  const { suites } = await ask('suites?suite=calls&agent_version=v1', suiteList);

  const wilson = shareOf(50, 60);
  const width = (of: { readonly low: number; readonly high: number } | undefined) => (of?.high ?? 0) - (of?.low ?? 0);
  // As wide as of a fifth of the conversations, and of so few users.
  expect(width(a.success)).toBeGreaterThan(2 * ((wilson?.upper ?? 1) - (wilson?.lower ?? 0)));
  expect(trends.series.find(({ key }) => key === 'v1')?.whole.success).toEqual(a.success);
  expect(moving.before).toMatchObject({ tcr: a.tcr, success: a.success });
  expect(suites[0]?.criteria.find(({ name }) => name === 'looked')?.pass_rate).toEqual(a.success);
  expect([trends.related, moving.related]).toEqual([related, related]);
  expect(related).toEqual({ users: 24, unnamed_share: 0 });
  // Conversations as such would say that v2 is worse: 50 of 60 against 35.
  expect(success).toMatchObject({ word: 'not_enough_evidence', cases: 120 });
  expect(moving.parts.find(({ name }) => name === 'looked')).toMatchObject({ clear: false });
});

test('a version that nobody saw has no figures, and too short a time is a mistake', { timeout: 60_000 }, async () => {
  const running = await started();

  const nobody = await compared(running, 'a=v1&b=v9');

  expect(nobody.b).toEqual({
    agent_version: 'v9',
    conversations: 0,
    evaluations: 0,
    outcomes: {},
    because: {},
    other_versions: 0,
    cut: false,
  });
  expect(nobody.score).toEqual({ word: null, because: 'no conversation of version v9 has a value for it' });
  expect(nobody.steps_per_success).toMatchObject({ because: 'no conversations of one of them report what they used' });
  expect(nobody.cost_per_success).toMatchObject({
    because: 'no conversations of one of them have a cost: their models may have no price',
  });
  expect((await compared(running, 'a=v1&b=v2&since=2001-01-01&until=2001-01-02')).a.evaluations).toBe(0);
  expect((await compared(running, 'a=v1&b=v2&environment=nowhere')).a.evaluations).toBe(0);
  const refusedOf = async (query: string) => (await get(running, `/api/v1/versions/compare?${query}`)).status;
  expect(await refusedOf('agent=helper&a=v1')).toBe(400);
  expect(await refusedOf('a=v1&b=v2')).toBe(400);
  expect(await refusedOf('agent=helper&a=v1&b=v2&since=1h&until=2h')).toBe(400);
  expect(await refusedOf('agent=helper&a=v1&b=v2&suite=nobody')).toBe(404);
});

test('a release is promoted, held or rolled back, with one answer for people, scripts and webhooks', {
  timeout: 60_000,
}, async () => {
  const { running } = await answersLike();
  const file = path.join(tempDirectory(), 'gate.json');
  const command = async (version: string, against: string, ...more: readonly string[]) =>
    assayHere(['release', version, '--against', against, '--agent', 'helper', '--url', running.http, ...more]);
  const check = async (metadata: object) => {
    const answer = await fetch(`${running.http}/api/v1/versions/check`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({
        name: 'helper',
        namespace: 'prod',
        phase: 'Progressing',
        metadata: { agent: 'helper', ...metadata },
      }),
    });
    return [answer.status, versionChecked.parse(await answer.json()).decision];
  };

  const { release } = await compared(running, 'a=v1&b=v2');
  const { release: turned } = await compared(running, 'a=v2&b=v1');
  const { release: same } = await compared(running, 'a=v1&b=v3');
  const [bad, good, held] = [await command('v2', 'v1'), await command('v1', 'v2'), await command('v3', 'v1')];
  const both = await assayHere([
    'release',
    'v2',
    '--against',
    'v1',
    '--agent',
    'helper',
    'nobody',
    '--url',
    running.http,
    '--json',
  ]);
  writeFileSync(file, JSON.stringify({ ...gateWith(1), may_release: false }));
  const stopped = await command('v1', 'v2', '--gate', file);
  writeFileSync(file, JSON.stringify(gateWith(400)));
  const byCases = await command('v3', 'v1', '--gate', file, '--json');

  expect(release).toMatchObject({ decision: 'roll_back', evidence: { cases: 1, rolls_back_at: 40 } });
  expect(release.evidence.together).toBeGreaterThanOrEqual(40);
  expect(turned).toMatchObject({ decision: 'promote' });
  expect(same).toMatchObject({ decision: 'hold' });
  expect(same.evidence.traffic).toBeLessThanOrEqual(5);
  expect((await compared(running, 'a=v1&b=v1')).release).toMatchObject({
    ...{ decision: 'hold', sentence: expect.stringContaining('it is the version before') },
  });
  for (const evidence of ['', '0', '-1', 'x'])
    expect((await get(running, `/api/v1/versions/compare?agent=helper&a=v1&b=v2&evidence=${evidence}`)).status).toBe(
      400,
    );
  expect([bad, good, held].map(({ status }) => status)).toEqual([1, 0, 2]);
  expect([bad, good, held].map(({ stdout }) => stdout.trim())).toEqual(
    [release, turned, same].map(({ sentence }) => sentence),
  );
  expect(both.status).toBe(1);
  expect(JSON.parse(both.stdout)).toMatchObject({
    decision: 'roll_back',
    worse: ['helper'],
    agents: [{ agent: 'helper' }, { agent: 'nobody', decision: 'hold' }],
  });
  expect([stopped.status, stopped.stdout.trim()]).toEqual([2, 'Hold: the gate says so. Pass.']);
  expect(byCases.status).toBe(1);
  expect(JSON.parse(byCases.stdout)).toMatchObject({ decision: 'roll_back', evidence: { cases: 400 } });
  expect(JSON.parse(byCases.stdout)).toMatchObject({ sentence: expect.stringContaining('worse on the cases') });
  expect(await check({ version: 'v2', against: 'v1' })).toEqual([409, 'roll_back']);
  expect(await check({ version: 'v2', against: 'v1', asks: 'should_roll_back' })).toEqual([200, 'roll_back']);
  expect(await check({ version: 'v3', against: 'v1' })).toEqual([200, 'hold']);
  expect(await check({ version: 'v3', against: 'v1', asks: 'may_promote' })).toEqual([409, 'hold']);
  expect(await check({ version: 'v1', against: 'v2', asks: 'may_promote' })).toEqual([200, 'promote']);
});

test('a version that replaced another is rolled back, and promoted by nothing that was before it', {
  timeout: 60_000,
}, async () => {
  const hoursAgo = (hours: number, version: string, calls: readonly number[]) =>
    of(version, calls).map((one) => ({ ...one, agoMs: hours * 3_600_000 }));
  const running = await startedWith(hoursAgo(3, 'v1', CALLS.v1));
  await send(running, hoursAgo(2, 'v2', CALLS.v2), 100);
  await send(running, hoursAgo(1, 'v3', CALLS.v1), 200);
  await expect
    .poll(async () => sumOf(await metricsOf(running), 'assay_evaluations_total'), { timeout: 40_000 })
    .toBe(72);

  const { release: worse } = await compared(running, 'a=v1&b=v2');
  const { release: better } = await compared(running, 'a=v2&b=v3');

  expect(worse.decision).toBe('roll_back');
  expect(better).toMatchObject({ decision: 'hold', sentence: expect.stringContaining('too little traffic beside v3') });
});

test('what cannot be asked or read is an error, and no decision', async () => {
  const file = path.join(tempDirectory(), 'gate.json');
  writeFileSync(file, '{"decision":"pass"}');
  const asked = ['release', 'v2', '--agent', 'a', '--url', 'http://127.0.0.1:1'];

  for (const [args, says] of [
    [asked, '--against'],
    [[...asked, '--against', 'v1'], 'no answer from'],
    [[...asked, '--against', 'v1', '--gate', file], 'is not what `assay gate --json` writes'],
    [[...asked, '--against', 'v1', '--gate', `${file}.none`], 'gate.json.none'],
    [[...asked, '--against', 'v1', '--max-drop', 'five'], '--max-drop'],
    [[...asked, '--against', 'v1', '--wait', 'long'], '--wait'],
  ] as const) {
    const { status, stderr } = await assayHere(args);
    expect([args, status]).toEqual([args, 3]);
    expect(stderr).toContain(says);
  }
});

/** The answer of a gate, as `assay gate --json` writes it. */
function gateWith(evidence: number) {
  const passed = { passes: 1, of: 2 };
  const side = {
    id: 'e',
    name: 'e',
    agent_version: null,
    commit: null,
    started_at: '2026-11-20T10:00:00.000Z',
    runs: 2,
  };
  return {
    ...{ decision: 'pass', sentence: 'Pass.', confidence: 0.95, look: null, candidate: side, baseline: side },
    ...{ warnings: [], suites: [{ suite: 'calls', about: null }] },
    may_release: true,
    rules: [
      {
        ...{ suite: 'calls', rule: 'cases_worse', limit: 'by_chance', allowed: null, decision: 'pass', because: '.' },
        ...{ examples: [], value: 0, cases: 2, changed: [], undecided: [], not_run: 0, command: null },
        left_out: { only_in_baseline: 0, only_in_candidate: 0, changed: 0, not_scored: 0 },
        tests: [
          {
            ...{ of: 'success', p: 0.03, evidence, level: 0.025, broken: false, correlation: null },
            ...{ baseline: passed, candidate: passed },
          },
        ],
      },
    ],
  } satisfies GateJson;
}
