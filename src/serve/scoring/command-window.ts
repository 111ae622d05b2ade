/**
 * Commands on their way to a thread, in order: those that were sent and not answered, then those that wait. Only so many are with the
 * thread at a time, so that what it answers frees memory soon; each is kept until it is answered, to be sent again if the thread dies.
 */
interface Sequenced {
  readonly sequence: number;
  /** Memory that it takes while it is with the thread, where that is much. */
  readonly bytes?: number;
}

const SENT_MAX = 512;
const SENT_BYTES_MAX = 64 << 20;
/** Sliding a long array forward is cheaper in large steps. */
const SLIDE_FROM = 1024;

export class CommandWindow<Command extends Sequenced> {
  readonly #send: (command: Command) => void;
  #sent: Command[] = [];
  #sentBytes = 0;
  #waiting: Command[] = [];
  #head = 0;
  #sequence = 0;
  #lastProgressAt = performance.now();

  constructor(send: (command: Command) => void) {
    this.#send = send;
  }

  get length(): number {
    return this.#sent.length + this.waiting;
  }

  /** How many have not been sent yet. */
  get waiting(): number {
    return this.#waiting.length - this.#head;
  }

  get first(): Command | undefined {
    return this.#sent[0] ?? this.#waiting[this.#head];
  }

  /** Command that was pushed last, if it has not been sent yet. */
  get lastWaiting(): Command | undefined {
    return this.waiting === 0 ? undefined : this.#waiting.at(-1);
  }

  /** How long there has been work and no progress, in milliseconds. */
  get stalledMs(): number {
    return this.length === 0 ? 0 : performance.now() - this.#lastProgressAt;
  }

  nextSequence(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  push(command: Command): void {
    if (this.length === 0) this.#lastProgressAt = performance.now();
    this.#waiting.push(command);
  }

  /** In the place of the last one that waits. */
  replaceLast(command: Command): void {
    this.#waiting[this.#waiting.length - 1] = command;
  }

  /** Whether one waits that may be sent. */
  get hasNext(): boolean {
    return this.waiting > 0 && this.#sent.length < SENT_MAX && this.#sentBytes < SENT_BYTES_MAX;
  }

  /** Sends as many as may be with the thread, and as many as `mayGoOn` lets. */
  pump(mayGoOn: () => boolean = () => true): void {
    while (this.hasNext && mayGoOn()) {
      const command = this.#waiting[this.#head];
      if (command === undefined) break;
      this.#head += 1;
      this.#sent.push(command);
      this.#sentBytes += command.bytes ?? 0;
      this.#send(command);
    }
    if (this.#head <= SLIDE_FROM || this.#head * 2 <= this.#waiting.length) return;
    this.#waiting = this.#waiting.slice(this.#head);
    this.#head = 0;
  }

  /** The thread has forgotten what it was sent: it waits again, before everything else. */
  takeBack(): void {
    this.#waiting = [...this.#sent, ...this.#waiting.slice(this.#head)];
    this.#head = 0;
    this.#sent = [];
    this.#sentBytes = 0;
  }

  /** Takes out what is done: everything up to this sequence. */
  answered(sequence: number): readonly Command[] {
    this.#lastProgressAt = performance.now();
    const end = this.#sent.findIndex((command) => command.sequence > sequence);
    const done = this.#sent.splice(0, end === -1 ? this.#sent.length : end);
    for (const { bytes } of done) this.#sentBytes -= bytes ?? 0;
    return done;
  }

  findLastSent(isWanted: (command: Command) => boolean): Command | undefined {
    return this.#sent.findLast(isWanted);
  }

  /** Removes queued commands that match, and returns them. */
  removeWaiting(isUnwanted: (command: Command) => boolean): readonly Command[] {
    const waiting = this.#waiting.slice(this.#head);
    this.#waiting = waiting.filter((command) => !isUnwanted(command));
    this.#head = 0;
    return waiting.filter(isUnwanted);
  }
}
