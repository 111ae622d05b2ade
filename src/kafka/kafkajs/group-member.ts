/**
 * Membership in a consumer group: join, divide the lanes where we lead, and heartbeats until the next generation.
 *
 *   away ──join──▶ joining ──sync──▶ member ──REBALANCE_IN_PROGRESS──▶ joining (it still has what it had, and goes on reading)
 *                                      └──unknown, fenced, or silent for a session──▶ away (it has nothing)
 *
 * Heartbeats have a connection and a loop of their own: neither a long fetch nor a slow batch delays them. A member that has not been
 * heard for the length of a session takes itself for expelled, for by then others may have its partitions.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TopicPartition } from '../kafka-client.ts';
import { type Brokers, throwIfRefused } from './brokers.ts';
import { protocolError } from './internals.ts';
import {
  assignLanes,
  decodeAssignment,
  decodeSubscription,
  encodeAssignment,
  encodeSubscription,
  LANE_PROTOCOL,
  partitionsOf,
} from './lane-assignment.ts';
import { refusalType } from './problem-words.ts';

interface GroupTimes {
  readonly sessionTimeoutMs: number;
  readonly heartbeatMs: number;
  readonly rebalanceTimeoutMs: number;
  /** Pause before the next attempt after a failure. */
  readonly retryMs: number;
}

interface GroupEvents {
  /** `follows` where this member was in the generation before, too. */
  onGeneration(generation: { readonly partitions: readonly TopicPartition[]; readonly follows: boolean }): void;
  onExpelled(): void;
  onTrouble(error: unknown | undefined): void;
  /** Partitions of the existing topics, for the assignment; only the leader is asked. */
  partitionCounts(): Promise<ReadonlyMap<string, number>>;
}

export interface GroupIdentity {
  readonly memberId: string;
  readonly generation: number;
}

interface JoinAnswer {
  readonly errorCode: number;
  readonly generationId: number;
  readonly leaderId: string;
  readonly memberId: string;
  readonly members: readonly { readonly memberId: string; readonly memberMetadata: Buffer }[];
}

interface SyncAnswer {
  readonly errorCode: number;
  readonly memberAssignment: Buffer | null;
}

/** The coordinator no longer counts us in. */
const EXPELLED = ['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION', 'FENCED_INSTANCE_ID'];

export class GroupMember {
  readonly #brokers: Brokers;
  readonly #group: string;
  readonly #topics: readonly string[];
  readonly #times: GroupTimes;
  readonly #events: GroupEvents;
  readonly #stopping = new AbortController();
  #coordinator: number | undefined;
  #memberId = '';
  /** The generation that was synced last; it holds while the next one is being made. */
  #generation: number | undefined;
  #lanes: readonly number[] = [];
  #leads = false;
  #heardAt = 0;
  #joining = true;
  /** Replaced whenever the generation does. */
  #change: PromiseWithResolvers<void> = Promise.withResolvers();
  #watch: NodeJS.Timeout | undefined;
  #loop: Promise<void> | undefined;

  constructor(options: {
    readonly brokers: Brokers;
    readonly group: string;
    readonly topics: readonly string[];
    readonly times: GroupTimes;
    readonly events: GroupEvents;
  }) {
    this.#brokers = options.brokers;
    this.#group = options.group;
    this.#topics = options.topics;
    this.#times = options.times;
    this.#events = options.events;
  }

  start(): void {
    this.#watch = setInterval(() => this.#expelIfSilent(), this.#times.sessionTimeoutMs / 4);
    this.#loop = this.#run();
  }

  /** Undefined while away. */
  get identity(): GroupIdentity | undefined {
    return this.#generation === undefined ? undefined : { memberId: this.#memberId, generation: this.#generation };
  }

  get leads(): boolean {
    return this.#leads;
  }

  /** Resolves once this generation no longer holds. */
  async past(identity: GroupIdentity): Promise<void> {
    if (this.#generation === identity.generation && this.#memberId === identity.memberId) await this.#change.promise;
  }

  /** The group rebalances. */
  rejoin(): void {
    this.#joining = true;
  }

  async leave(): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#watch);
    if (this.#memberId !== '' && this.#coordinator !== undefined) {
      const request = { groupId: this.#group, memberId: this.#memberId };
      // A member that cannot leave in order is noticed when its session times out.
      await this.#brokers.request(this.#coordinator, 'LeaveGroup', request).catch(() => undefined);
    }
    this.#hold(undefined, []);
  }

  /** After the brokers' connections are closed, so that a join that waits there ends. */
  async ended(): Promise<void> {
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        this.#coordinator ??= await this.#brokers.coordinator(this.#group);
        if (this.#joining) await this.#join(this.#coordinator);
        this.#events.onTrouble(undefined);
        await this.#pause(this.#times.heartbeatMs);
        if (!this.#stopping.signal.aborted && !this.#joining) await this.#heartbeat(this.#coordinator);
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        await this.#recover(error);
      }
    }
  }

  async #join(coordinator: number): Promise<void> {
    const before = this.#generation;
    const joined = await this.#joinOnce(coordinator);
    const partitions = await this.#sync(coordinator, joined);
    if (this.#stopping.signal.aborted) return;
    this.#joining = false;
    this.#heardAt = performance.now();
    // The watch may have given up meanwhile, and an answer that was lost may have held a generation of which we know nothing.
    const had = this.#generation;
    const follows =
      had !== undefined && had === before && (joined.generationId === had || joined.generationId === had + 1);
    if (had !== undefined && !follows) this.#events.onExpelled();
    this.#hold(joined.generationId, [...new Set(partitions.map(({ partition }) => partition))]);
    this.#events.onGeneration({ partitions, follows });
  }

  async #joinOnce(coordinator: number): Promise<JoinAnswer> {
    for (;;) {
      const metadata = encodeSubscription({
        topics: this.#topics,
        lanes: this.#lanes,
        generation: this.#generation ?? -1,
      });
      const answer = (await this.#brokers.request(
        coordinator,
        'JoinGroup',
        {
          groupId: this.#group,
          sessionTimeout: this.#times.sessionTimeoutMs,
          rebalanceTimeout: this.#times.rebalanceTimeoutMs,
          memberId: this.#memberId,
          protocolType: 'consumer',
          groupProtocols: [{ name: LANE_PROTOCOL, metadata }],
        },
        'group',
      )) as JoinAnswer;
      if (answer.errorCode !== 0) {
        const refusal = protocolError(answer.errorCode);
        if (refusal.type !== 'MEMBER_ID_REQUIRED') throw refusal;
        // The coordinator names new members first, so that a join that is repeated makes no second one.
        this.#memberId = answer.memberId;
        continue;
      }
      this.#memberId = answer.memberId;
      return answer;
    }
  }

  async #sync(coordinator: number, joined: JoinAnswer): Promise<readonly TopicPartition[]> {
    this.#leads = joined.leaderId === joined.memberId;
    const groupAssignment = this.#leads ? await this.#divide(joined.members) : [];
    const answer = (await this.#brokers.request(
      coordinator,
      'SyncGroup',
      { groupId: this.#group, generationId: joined.generationId, memberId: joined.memberId, groupAssignment },
      'group',
    )) as SyncAnswer;
    throwIfRefused(answer.errorCode);
    return decodeAssignment(answer.memberAssignment ?? Buffer.alloc(0));
  }

  async #divide(joined: JoinAnswer['members']) {
    const partitionCounts = await this.#events.partitionCounts();
    const members = joined.map(({ memberId, memberMetadata }) => ({
      id: memberId,
      ...decodeSubscription(memberMetadata),
    }));
    const lanes = assignLanes(members, partitionCounts);
    return members.map(({ id, topics }) => {
      const partitions = partitionsOf(lanes.get(id) ?? [], partitionCounts).filter(({ topic }) =>
        topics.includes(topic),
      );
      return { memberId: id, memberAssignment: encodeAssignment(partitions) };
    });
  }

  async #heartbeat(coordinator: number): Promise<void> {
    const answer = (await this.#brokers.request(
      coordinator,
      'Heartbeat',
      { groupId: this.#group, groupGenerationId: this.#generation, memberId: this.#memberId },
      'group',
    )) as { readonly errorCode: number };
    throwIfRefused(answer.errorCode);
    this.#heardAt = performance.now();
  }

  async #recover(error: unknown): Promise<void> {
    const type = refusalType(error);
    if (type === 'REBALANCE_IN_PROGRESS') {
      this.#heardAt = performance.now();
      this.#joining = true;
      return;
    }
    if (EXPELLED.includes(type)) {
      this.#expel();
      return;
    }
    this.#coordinator = undefined;
    if (!COORDINATOR_MOVES.includes(type)) this.#events.onTrouble(error);
    await this.#pause(this.#times.retryMs);
  }

  #expelIfSilent(): void {
    // A join waits at the coordinator for the other members, and counts as a sign of life meanwhile.
    const patienceMs = this.#times.sessionTimeoutMs + (this.#joining ? this.#times.rebalanceTimeoutMs : 0);
    if (this.#generation !== undefined && performance.now() - this.#heardAt > patienceMs) this.#expel();
  }

  #expel(): void {
    const had = this.#generation !== undefined;
    this.#memberId = '';
    this.#joining = true;
    this.#hold(undefined, []);
    if (had) this.#events.onExpelled();
  }

  #hold(generation: number | undefined, lanes: readonly number[]): void {
    this.#generation = generation;
    this.#lanes = lanes;
    if (generation === undefined) this.#leads = false;
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }
}

const COORDINATOR_MOVES = ['NOT_COORDINATOR_FOR_GROUP', 'GROUP_COORDINATOR_NOT_AVAILABLE', 'GROUP_LOAD_IN_PROGRESS'];
