/**
 * The users: their wishes, the calendars, their later messages, and the ground truth. `truth` goes to the evaluator;
 * the agent never sees it.
 */
import { Calendar, timeAt, type Busy } from './calendar.ts';
import { seededRandom } from './random.ts';

export interface Truth {
  readonly participants: readonly string[];
  readonly time: string;
  readonly duration: number;
}

export interface Scenario {
  readonly name: 'free-slot' | 'ask-first' | 'conflict' | 'default-duration';
  readonly conversationId: string;
  readonly userId: string;
  readonly says: readonly string[];
  readonly calendar: Calendar;
  /** Initial entries of the calendar. */
  readonly busy: readonly Busy[];
  readonly hasConflict: boolean;
  readonly truth: Truth;
}

export const PEOPLE = ['Ana', 'Ben', 'Chloe', 'Dev', 'Emil', 'Farah', 'Gus', 'Hanna'] as const;
const TITLES = ['Design review', 'Roadmap', 'Budget check', 'Hiring sync', 'Launch planning'] as const;
const HOURS = [10, 11, 13, 14, 15] as const;
const DURATION_DEFAULT = 30;

export function scenarioOf(seed: number, number: number): Scenario {
  const random = seededRandom(seed, number);
  const kind = random.pick(['free-slot', 'ask-first', 'conflict', 'conflict', 'default-duration'] as const);
  const first = random.pick(PEOPLE);
  const second = random.pick(PEOPLE.filter((person) => person !== first));
  const participants = [first, second];
  const date = `2026-03-${String(9 + Math.floor(random.next() * 5)).padStart(2, '0')}`;
  const hour = random.pick(HOURS);
  const duration = kind === 'default-duration' ? DURATION_DEFAULT : random.pick([30, 45, 60]);
  const title = random.pick(TITLES);
  const asked = timeAt(date, hour * 60);
  const busy: Busy[] = [{ person: first, title: 'Stand-up', time: timeAt(date, 9 * 60), duration: 15 }];
  if (kind === 'conflict') busy.push({ person: second, title: 'Customer call', time: asked, duration: 60 });
  const calendar = new Calendar(busy, 400 + (number % 500));
  const agreed = kind === 'conflict' ? calendar.alternatives(participants, asked, duration, 1)[0] : asked;
  const request = `"${title}" with ${first} and ${second} on ${date} at ${asked.slice(11)}`;
  return {
    name: kind,
    conversationId: `conv-${seed}-${number}`,
    userId: `user-${number % 17}`,
    says: saysOf(kind, request, duration, agreed ?? asked),
    calendar,
    busy,
    hasConflict: kind === 'conflict',
    truth: { participants, time: agreed ?? asked, duration },
  };
}

function saysOf(kind: Scenario['name'], request: string, duration: number, agreed: string): readonly string[] {
  switch (kind) {
    case 'free-slot':
      return [`Please book ${duration} minutes for ${request}.`];
    case 'default-duration':
      return [`Please book ${request}.`];
    case 'ask-first':
      return [`Could we meet for ${duration} minutes, ${request}? Don't book it yet.`, 'Great, please book it.'];
    case 'conflict':
      return [`Please book ${duration} minutes for ${request}.`, `Then take ${agreed.slice(11)}, please.`];
  }
}
