/** Read conversations of a recording, for a search for criteria (`src/learn`). */
import { understandRecorded } from '../engine/recorded/understand-recording.ts';
import type { RecordedBatch } from '../engine/recorded/recorded-batch.ts';
import type { Settings } from '../config/settings.ts';
import { clusterOf, type ReadCase } from '../learn/read-case.ts';
import type { Certificate } from '../model/certificate.ts';
import type { Conversation } from '../model/conversation.ts';
import { decisionOf } from '../model/decision.ts';
import type { Evaluation } from '../model/evaluation.ts';
import type { WrittenReading } from '../model/readings.ts';
import { isGood } from '../model/severity.ts';
import { saidOfConversations } from '../statistics/calibrate/said-of-conversations.ts';
import type { RecordedEstimate } from './recorded-estimate.ts';
import { redactRecorded } from './recording.ts';

interface Scored {
  readonly evaluations: readonly Evaluation[];
  readonly estimated: RecordedEstimate | undefined;
}

export interface ReadRecording {
  readonly cases: readonly ReadCase[];
  readonly traffic: readonly Conversation[];
  /** Shares of the traffic by `suite/criterion`; absent where only conversations that were read are known. */
  readonly shares?: ReadonlyMap<string, Pick<Certificate, 'applies' | 'fails'>>;
}

/** The recording is read again: what scored it keeps no conversations. */
export async function readCases(
  batches: AsyncIterable<RecordedBatch>,
  { evaluations, estimated }: Scored,
  settings: Settings,
): Promise<ReadRecording> {
  const { conversations: traffic } = await understandRecorded(redactRecorded(batches, settings), {
    conversationKeys: settings.conversation.idKeys,
  });
  const said = saidBySuites(evaluations);
  const byId = Map.groupBy(estimated?.readings ?? [], (one) => one.conversation_id);
  const cases = traffic.flatMap((conversation): ReadCase[] => {
    const readings = byId.get(conversation.id) ?? [];
    const isBad = answerOf(readings);
    if (isBad === undefined) return [];
    const { isCalledFine = false, failed = [] } = said.get(conversation.id) ?? {};
    const chance = estimated?.chances.get(conversation.id);
    return [
      {
        ...{ conversation, isBad, isCalledFine, failed },
        kind: isBad ? (readings.find(({ kind }) => typeof kind === 'string')?.kind ?? undefined) : undefined,
        notes: readings.flatMap(({ note, answer }) => (answer === 'bad' && note !== undefined ? note : [])),
        weight: chance === undefined ? 0 : 1 / chance,
        cluster: clusterOf(conversation),
      },
    ];
  });
  return { cases, traffic, shares: sharesOf([...said.values()], traffic.length) };
}

function sharesOf(said: readonly Said[], count: number): NonNullable<ReadRecording['shares']> {
  const names = new Set(said.flatMap(({ decided }) => [...decided]));
  const share = (of: (one: Said) => boolean) => said.filter(of).length / count;
  return new Map(
    [...names].map((name) => [
      name,
      { applies: share(({ decided }) => decided.has(name)), fails: share(({ failed }) => failed.includes(name)) },
    ]),
  );
}

/** Undefined where people cannot tell, or as many say the one as the other. */
function answerOf(readings: readonly WrittenReading[]): boolean | undefined {
  const people = readings.filter(({ source = 'person' }) => source === 'person');
  const bad = people.filter(({ answer }) => answer === 'bad').length;
  const good = people.filter(({ answer }) => answer === 'good').length;
  return bad === good ? undefined : bad > good;
}

interface Said {
  isCalledFine: boolean;
  readonly failed: string[];
  /** Criteria that passed or failed. */
  readonly decided: Set<string>;
}

function saidBySuites(evaluations: readonly Evaluation[]): ReadonlyMap<string, Said> {
  const all = new Map<string, Said>();
  for (const [suite, own] of Map.groupBy(evaluations, (one) => one.suite)) {
    for (const { conversationId, outcome, decisions } of saidOfConversations(own)) {
      const known = all.get(conversationId) ?? { isCalledFine: true, failed: [], decided: new Set() };
      all.set(conversationId, known);
      known.isCalledFine &&= isGood(outcome);
      for (const { criterion, decision } of decisions) {
        known.decided.add(`${suite}/${criterion}`);
        if (decisionOf(decision) === 'fail') known.failed.push(`${suite}/${criterion}`);
      }
    }
  }
  return all;
}
