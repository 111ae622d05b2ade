/**
 * Conversations that are sent to be forgotten: spans in the requests of others, of which nothing is scored, so that the
 * books are as without them. They are forgotten one by one at any moment; in the end no file may have their text.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { TrafficSpan } from './traffic.ts';

const TEXT = 'text of a decoy to be forgotten';
const USER = 'decoy-user@example.com';
const FORGOTTEN_AFTER_MS_MAX = 150;
const ANSWER_MS = 60_000;
const ATTEMPTS = 20;

export class Decoys {
  readonly #http: string;
  readonly #random: () => number;
  #sent = 0;
  forgotten = 0;

  constructor(http: string, random: () => number) {
    this.#http = http;
    this.#random = random;
  }

  /** The only span of its trace. */
  next(): TrafficSpan {
    this.#sent += 1;
    const id = this.#sent.toString(16);
    const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
    return {
      traceId: id.padStart(32, 'd'),
      spanId: id.padStart(16, 'd'),
      name: 'GET /',
      kind: 2,
      startTimeUnixNano: '1790000000000000000',
      endTimeUnixNano: '1790000001000000000',
      status: { code: 0 },
      attributes: [
        attribute('gen_ai.conversation.id', `decoy-${this.#sent}`),
        attribute('user.id', USER),
        attribute('http.request.body', `${TEXT} ${this.#sent}`),
      ],
    };
  }

  /** Forgets some while `isRunning`; a process that is dead is asked in vain. */
  async forgetSome(isRunning: () => boolean): Promise<void> {
    while (isRunning()) {
      await new Promise((resolve) => setTimeout(resolve, this.#random() * FORGOTTEN_AFTER_MS_MAX));
      if (this.#sent === 0) continue;
      const id = `decoy-${1 + Math.floor(this.#random() * this.#sent)}`;
      if (await this.#ask('DELETE', `/api/v1/conversations/${id}`)) this.forgotten += 1;
    }
  }

  /** All that are left, by their user. */
  async forgetAll(): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1)
      if (await this.#ask('POST', '/api/v1/forget', JSON.stringify({ user: USER, drop_set_aside: true }))) return;
    throw new Error('the decoys could not be forgotten');
  }

  async #ask(method: string, address: string, body?: string): Promise<boolean> {
    try {
      const answer = await fetch(this.#http + address, {
        method,
        ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      await answer.arrayBuffer();
      return answer.ok;
    } catch {
      // It was killed, or is not up yet.
      return false;
    }
  }
}

/** Files that have the text of a decoy. Pieces of content of this size are not compressed. */
export function filesWithDecoys(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(TEXT));
}
