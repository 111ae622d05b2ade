/** A log like a recorded one: conversations mixed, spans of a turn a few seconds apart. */
import { randomFrom } from '../random.ts';
import { type TrafficSpan, traffic } from '../simulation/traffic.ts';

export interface Sent {
  readonly at: number;
  readonly version: string;
  readonly span: TrafficSpan;
}

/**
 * With a share of late ones, some spans arrive long after their turn has closed, and some after their conversation was
 * judged.
 */
export function recordedLog(seed: number, options: { readonly late?: number } = {}): Sent[] {
  const random = randomFrom(seed);
  const sent: Sent[] = [];
  for (const conversation of traffic({ seed, conversations: 30, withoutId: 0.3, endMarks: 'multi-turn' })) {
    let at = 1000 + Math.floor(random() * 600_000);
    for (const turn of conversation.turns) {
      for (const span of turn) {
        at += Math.floor(random() * 4000);
        sent.push({ at, version: conversation.agentVersion, span });
      }
      at += Math.floor(random() * 30_000);
      const last = sent.at(-1);
      if (options.late === undefined || last === undefined || random() >= options.late) continue;
      sent[sent.length - 1] = { ...last, at: last.at + Math.floor(random() * 900_000) };
    }
  }
  return sent.sort((a, b) => a.at - b.at);
}

/** Turns of a conversation within a few seconds, in any order; the last one, which need not arrive last, ends it. */
export function togetherLog(seed: number): Sent[] {
  const random = randomFrom(seed);
  const sent: Sent[] = [];
  for (const { turns, agentVersion } of traffic({
    seed,
    conversations: 40,
    endMarks: 'all',
    turnsMin: 2,
    turnsMax: 4,
  })) {
    const from = 1000 + Math.floor(random() * 100_000);
    for (const turn of turns) {
      let at = from + Math.floor(random() * 5000);
      for (const span of turn) {
        sent.push({ at, version: agentVersion, span });
        at += Math.floor(random() * 500);
      }
    }
  }
  return sent.sort((a, b) => a.at - b.at);
}
