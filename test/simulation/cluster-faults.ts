/**
 * Faults of a cluster, as a plan from a seed that can be read in advance, and its execution. Faults overlap, as long as
 * they affect different parts: an instance has one fault at a time, and so have the brokers and the database.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { randomFrom } from '../random.ts';
import type { ClusterInstance } from './cluster-instance.ts';
import type { TrafficProducer } from './cluster-producer.ts';
import type { Rig } from './cluster-rig.ts';

export type FaultKind =
  | 'kill instance'
  | 'stop instance'
  | 'freeze instance'
  | 'cut from brokers'
  | 'cut from one broker'
  | 'cut from database'
  | 'reset connections'
  | 'member joins and leaves'
  | 'kill broker'
  | 'restart broker'
  | 'freeze broker'
  | 'restart database'
  | 'kill database'
  | 'freeze database'
  | 'produce again';

export interface Fault {
  readonly number: number;
  readonly kind: FaultKind;
  /** Milliseconds after the beginning of the previous fault. */
  readonly pauseMs: number;
  readonly lastsMs: number;
  /** Which instance or broker, counted from 0. */
  readonly target: number;
}

interface Weighed {
  readonly weight: number;
  readonly lastsMs: readonly [min: number, max: number];
  readonly hits: 'instance' | 'joiner' | 'broker' | 'database' | 'nothing';
}

const KINDS: Readonly<Record<FaultKind, Weighed>> = {
  'kill instance': { weight: 22, lastsMs: [0, 5000], hits: 'instance' },
  'stop instance': { weight: 6, lastsMs: [0, 2000], hits: 'instance' },
  // Up to three times the timeouts of the group and the database.
  'freeze instance': { weight: 12, lastsMs: [500, 13_000], hits: 'instance' },
  'cut from brokers': { weight: 8, lastsMs: [500, 12_000], hits: 'instance' },
  'cut from one broker': { weight: 5, lastsMs: [500, 10_000], hits: 'instance' },
  'cut from database': { weight: 10, lastsMs: [500, 12_000], hits: 'instance' },
  'reset connections': { weight: 5, lastsMs: [0, 0], hits: 'instance' },
  'member joins and leaves': { weight: 10, lastsMs: [3000, 12_000], hits: 'joiner' },
  'kill broker': { weight: 4, lastsMs: [500, 5000], hits: 'broker' },
  'restart broker': { weight: 3, lastsMs: [0, 1000], hits: 'broker' },
  // Longer than the others need to replace it.
  'freeze broker': { weight: 3, lastsMs: [500, 9000], hits: 'broker' },
  'restart database': { weight: 3, lastsMs: [0, 2000], hits: 'database' },
  'kill database': { weight: 4, lastsMs: [0, 3000], hits: 'database' },
  'freeze database': { weight: 4, lastsMs: [500, 9000], hits: 'database' },
  'produce again': { weight: 6, lastsMs: [0, 0], hits: 'nothing' },
};
const PAUSE_MAX_MS = 4500;

export interface FaultPlanOptions {
  readonly faults: number;
  readonly seed: number;
  readonly instances: number;
  readonly joiners: number;
  readonly brokers: number;
}

export function planFaults(options: FaultPlanOptions): readonly Fault[] {
  const random = randomFrom(options.seed * 104_729 + 3);
  const targets = {
    instance: options.instances,
    joiner: options.joiners,
    broker: options.brokers,
    database: 1,
    nothing: 1,
  };
  return Array.from({ length: options.faults }, (_, index) => {
    const kind = chooseKind(random());
    const { lastsMs, hits } = KINDS[kind];
    return {
      number: index + 1,
      kind,
      pauseMs: Math.round(random() * PAUSE_MAX_MS),
      lastsMs: Math.round(lastsMs[0] + random() * (lastsMs[1] - lastsMs[0])),
      target: Math.floor(random() * targets[hits]),
    };
  });
}

function chooseKind(chance: number): FaultKind {
  // The cast holds: these are the keys of the record above.
  const kinds = Object.entries(KINDS) as readonly (readonly [FaultKind, Weighed])[];
  let rest = chance * kinds.reduce((sum, [, { weight }]) => sum + weight, 0);
  for (const [kind, { weight }] of kinds) {
    if (rest < weight) return kind;
    rest -= weight;
  }
  return 'kill instance';
}

export function describeFault({ number, kind, lastsMs, target, pauseMs }: Fault): string {
  const { hits } = KINDS[kind];
  const whom = { instance: ` ${target + 1}`, joiner: ` (joiner ${target + 1})`, broker: ` ${target + 1}` };
  const name = hits === 'database' || hits === 'nothing' ? '' : whom[hits];
  return `${number}. after ${pauseMs} ms: ${kind}${name}${lastsMs > 0 ? ` for ${lastsMs} ms` : ''}`;
}

export interface Stage {
  readonly rig: Rig;
  readonly instances: readonly ClusterInstance[];
  /** Instances that are not running in the beginning. */
  readonly joiners: readonly ClusterInstance[];
  readonly producer: TrafficProducer;
  readonly say: (line: string) => void;
}

export async function runFaults(faults: readonly Fault[], stage: Stage): Promise<void> {
  const busy = new Map<string, Promise<void>>();
  const failures: unknown[] = [];
  for (const fault of faults) {
    await sleep(fault.pauseMs);
    const { hits } = KINDS[fault.kind];
    // One broker at a time: with two of three gone nothing is acknowledged, which proves less.
    const what = hits === 'instance' || hits === 'joiner' ? `${hits} ${fault.target}` : hits;
    await busy.get(what);
    if (failures.length > 0) throw failures[0];
    stage.say(`fault ${describeFault(fault)} (${stage.producer.conversations} conversations)`);
    busy.set(
      what,
      execute(fault, stage).catch((error: unknown) => void failures.push(error)),
    );
  }
  await Promise.all(busy.values());
  if (failures.length > 0) throw failures[0];
}

async function execute({ kind, target, lastsMs }: Fault, stage: Stage): Promise<void> {
  const { rig, producer } = stage;
  const { kafka, postgres } = rig;
  const instance = stage.instances[target];
  const joiner = stage.joiners[target];
  switch (kind) {
    case 'kill instance':
      await instance?.kill();
      await sleep(lastsMs);
      instance?.start();
      return;
    case 'stop instance':
      await instance?.stop();
      await sleep(lastsMs);
      instance?.start();
      return;
    case 'freeze instance':
      instance?.freeze();
      await sleep(lastsMs);
      instance?.thaw();
      return;
    case 'cut from brokers':
      instance?.cutBrokers('all');
      await sleep(lastsMs);
      instance?.heal();
      return;
    case 'cut from one broker':
      instance?.cutBrokers(lastsMs % 3);
      await sleep(lastsMs);
      instance?.heal();
      return;
    case 'cut from database':
      instance?.cutDatabase();
      await sleep(lastsMs);
      instance?.heal();
      return;
    case 'reset connections':
      instance?.reset();
      return;
    case 'member joins and leaves':
      joiner?.start();
      await sleep(lastsMs);
      if (lastsMs % 2 === 0) await joiner?.stop();
      else await joiner?.kill();
      return;
    case 'kill broker':
      await kafka.kill(target + 1);
      await sleep(lastsMs);
      await kafka.start(target + 1);
      return;
    case 'restart broker':
      await kafka.stop(target + 1);
      await sleep(lastsMs);
      await kafka.start(target + 1);
      return;
    case 'freeze broker':
      kafka.freeze(target + 1);
      await sleep(lastsMs);
      kafka.thaw(target + 1);
      return;
    case 'restart database':
      await postgres.stop();
      await sleep(lastsMs);
      await postgres.start();
      return;
    case 'kill database':
      await postgres.kill();
      await sleep(lastsMs);
      await postgres.start();
      return;
    case 'freeze database':
      postgres.freeze();
      await sleep(lastsMs);
      postgres.thaw();
      return;
    case 'produce again':
      await producer.sendAgain();
      return;
  }
}
