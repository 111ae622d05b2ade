/**
 * `assay run`, killed again and again at random moments and gone on with, until nothing is left. At the end each case
 * must have been kept exactly once for each repeat, with the spans of that run. The agent must not have been started
 * more often than that, plus the runs in flight at each kill.
 */
import { statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CaseRun } from '../../../src/model/experiment.ts';
import { readSpansOf } from '../../../src/store/experiment/read-experiment.ts';
import { type Ended, RunFolder } from './running-command.ts';

export interface KilledRunOptions {
  readonly directory: string;
  readonly cases: number;
  readonly repeats: number;
  readonly concurrency: number;
  readonly kills: number;
  /** From 0 up to, but not including, 1. */
  readonly random: () => number;
  readonly onKill?: (known: { readonly kept: number; readonly starts: number }) => void;
}

export interface KilledRun {
  /** Broken expectations; none if all is well. */
  readonly faults: readonly string[];
  readonly kept: number;
  readonly starts: number;
  readonly kills: number;
}

/** So long after the agent has been started some times more; so that most come while runs are under way, whatever the machine's pace. */
const KILLED_WITHIN_MS = 800;

export async function killedRun(options: KilledRunOptions): Promise<KilledRun> {
  const { cases, repeats, concurrency, random } = options;
  const all = cases * repeats;
  const folder = new RunFolder(
    options.directory,
    Array.from({ length: cases }, (_, number) => ({ id: `case-${number}`, input: { do: ['spans'] } })),
  );
  const flags = ['--concurrency', String(concurrency), '--repeats', String(repeats), '--seed', '7'];
  const start = () => folder.run(...flags, ...(folder.experiment() === undefined ? [] : ['--resume']));
  let kills = 0;
  let last: Ended | undefined;
  while (kills < options.kills && folder.experiment()?.experiment.endedAt === undefined) {
    const running = start();
    const moreStarts = Math.floor(random() * 2 * concurrency);
    const afterMs = Math.round(random() * KILLED_WITHIN_MS);
    const over = new AbortController();
    const toBeKilled = async () => {
      await folder.started(folder.starts().length + moreStarts, over.signal);
      await sleep(afterMs);
    };
    // With none left to be started it ends.
    const ended = await Promise.race([running.ended(), toBeKilled()]);
    over.abort();
    if (ended !== undefined) {
      last = ended;
      break;
    }
    running.kill('SIGKILL');
    await running.ended();
    kills += 1;
    options.onKill?.({ kept: folder.experiment()?.runs.length ?? 0, starts: folder.starts().length });
  }
  if (folder.experiment()?.experiment.endedAt === undefined) last = await start().ended();
  const result = folder.experiment();
  const runs = result?.runs ?? [];
  const starts = folder.starts();
  const faults = [
    ...(last === undefined || last.code === 0 ? [] : [`the last one ended with code ${last.code}: ${last.err}`]),
    ...(result?.experiment.endedAt === undefined ? ['the experiment has not ended'] : []),
    ...countFaults(runs, { cases, repeats }),
    ...seedFaults(starts),
    ...runs.flatMap((run) => spanFaults(folder.folder, run)),
    ...fileFaults(folder.folder, runs),
    ...(starts.length > all + kills * concurrency
      ? [`${starts.length} starts of the agent, for ${all} runs and ${kills} kills with ${concurrency} in flight`]
      : []),
  ];
  return { faults, kept: runs.length, starts: starts.length, kills };
}

function countFaults(runs: readonly CaseRun[], wanted: { readonly cases: number; readonly repeats: number }): string[] {
  const counts = new Map<string, number>();
  for (const run of runs) {
    const key = `${run.case} ${run.repeat}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const faults = [...counts].filter(([, count]) => count !== 1).map(([key, count]) => `${key} was kept ${count} times`);
  for (let number = 0; number < wanted.cases; number += 1) {
    for (let repeat = 1; repeat <= wanted.repeats; repeat += 1) {
      if (!counts.has(`case-${number} ${repeat}`)) faults.push(`case-${number} ${repeat} was lost`);
    }
  }
  return faults;
}

/** Whenever it is started for a run, it is given the same seed. */
function seedFaults(starts: ReturnType<RunFolder['starts']>): string[] {
  const seeds = Map.groupBy(starts, (start) => `${start.case} ${start.repeat}`);
  return [...seeds]
    .filter(([, list]) => new Set(list.map(({ seed }) => seed)).size !== 1)
    .map(([key]) => `${key} was given several seeds`);
}

/** The run has its own spans and no others: an agent's span, a model call, and the conversation's id. */
function spanFaults(folder: string, run: CaseRun): string[] {
  const name = `${run.case} ${run.repeat}`;
  if (run.end !== 'completed' || run.evaluations.length !== 1) return [`${name} is ${run.end}: ${run.problem}`];
  const text = Buffer.concat(readSpansOf(folder, run).traces).toString('latin1');
  const count = (wanted: string) => text.split(wanted).length - 1;
  return count('invoke_agent scripted') === 1 && count('chat m') === 1 && count(run.conversationId) === 1
    ? []
    : [`${name} has not the spans of one run`];
}

/** Every byte is of a run that is known. */
function fileFaults(folder: string, runs: readonly CaseRun[]): string[] {
  const { size } = statSync(path.join(folder, 'spans.otlp'));
  const known = runs.reduce((sum, { spans }) => sum + (spans === undefined ? 0 : spans.to - spans.from), 0);
  return size === known ? [] : [`spans.otlp has ${size} bytes, and its runs ${known}`];
}
