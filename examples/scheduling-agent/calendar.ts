/** The calendars of all people for one day, in memory. Times are local and written as in ISO 8601, without a zone. */
export interface Meeting {
  readonly meeting_id: string;
  readonly title: string;
  readonly participants: readonly string[];
  readonly time: string;
  readonly duration: number;
}

export interface Busy {
  readonly person: string;
  readonly title: string;
  readonly time: string;
  readonly duration: number;
}

const DAY_BEGINS = 9 * 60;
const DAY_ENDS = 17 * 60;
const SLOT_MINUTES = 30;

export class Calendar {
  readonly #busy: Busy[];
  readonly #firstMeetingNumber: number;
  #booked = 0;

  constructor(busy: readonly Busy[], firstMeetingNumber: number) {
    this.#busy = [...busy];
    this.#firstMeetingNumber = firstMeetingNumber;
  }

  search(person: string, date: string): readonly Busy[] {
    return this.#busy.filter((entry) => entry.person === person && entry.time.startsWith(date));
  }

  conflicts(participants: readonly string[], time: string, duration: number): readonly Busy[] {
    const from = minutesOf(time);
    return this.#busy.filter((entry) => {
      const start = minutesOf(entry.time);
      const sameDay = entry.time.slice(0, 10) === time.slice(0, 10);
      return sameDay && participants.includes(entry.person) && start < from + duration && from < start + entry.duration;
    });
  }

  /** The free slots of that day that are nearest to the requested time, at most `count`. */
  alternatives(participants: readonly string[], time: string, duration: number, count: number): readonly string[] {
    const wanted = minutesOf(time);
    const free: string[] = [];
    for (let start = DAY_BEGINS; start + duration <= DAY_ENDS; start += SLOT_MINUTES) {
      const slot = timeAt(time.slice(0, 10), start);
      if (this.conflicts(participants, slot, duration).length === 0) free.push(slot);
    }
    return free.sort((a, b) => Math.abs(minutesOf(a) - wanted) - Math.abs(minutesOf(b) - wanted)).slice(0, count);
  }

  book(meeting: Omit<Meeting, 'meeting_id'>): Meeting {
    const booked = { meeting_id: `mtg_${this.#firstMeetingNumber + this.#booked}`, ...meeting };
    this.#booked += 1;
    const { title, time, duration } = meeting;
    for (const person of meeting.participants) this.#busy.push({ person, title, time, duration });
    return booked;
  }
}

export function minutesOf(time: string): number {
  return Number(time.slice(11, 13)) * 60 + Number(time.slice(14, 16));
}

export function timeAt(date: string, minutes: number): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${date}T${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
