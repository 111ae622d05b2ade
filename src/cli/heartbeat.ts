/** Reports how far something is while it goes on: a line that overwrites itself on a terminal, and one every few seconds elsewhere. */
import type { Terminal } from './terminal.ts';

const OVERWRITE_EVERY_MS = 250;
const LINE_EVERY_MS = 5_000;

export class Heartbeat {
  readonly #terminal: Terminal;
  readonly #text: (isLive: boolean) => string | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `text` says how far it is; undefined where there is nothing to say. */
  constructor(terminal: Terminal, text: (isLive: boolean) => string | undefined) {
    this.#terminal = terminal;
    this.#text = text;
  }

  begin(): void {
    const { isLive } = this.#terminal;
    this.#timer ??= setInterval(() => this.#beat(), isLive ? OVERWRITE_EVERY_MS : LINE_EVERY_MS);
    this.#timer.unref();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#terminal.progressDone();
  }

  #beat(): void {
    const { isLive, progress, err } = this.#terminal;
    const text = this.#text(isLive);
    if (text === undefined) return;
    if (isLive) progress(text);
    else err(text);
  }
}

/** `about 6 min 12 s left`, by the pace so far; undefined where there is none. */
export function timeLeft({
  done,
  of,
  tookMs,
}: {
  readonly done: number;
  readonly of: number;
  readonly tookMs: number;
}): string | undefined {
  if (done === 0) return undefined;
  const seconds = Math.round(((tookMs / done) * (of - done)) / 1000);
  const minutes = Math.floor(seconds / 60);
  return minutes > 0 ? `about ${minutes} min ${seconds % 60} s left` : `about ${seconds} s left`;
}
