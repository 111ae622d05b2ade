/**
 * Delivers notices to webhooks, each in its order, at least once.
 *
 *   waiting    in the detection state, which a crash does not lose
 *   sending    one at a time for each webhook
 *   failed     sent again after a pause that doubles, with jitter, or that the answer asks for (Retry-After)
 *   delivered    answered with 2xx, or given up; told to the owner of the state until it is not among what waits any more
 *
 * A crash between an answer and the next state sends a notice again: its id tells. Redirects are not followed, since what is signed for one
 * place is for no other.
 */
import { maskedSecrets, secretsOfUrl } from '../../model/masked-secrets.ts';
import { visibleJson } from '../../model/visible-text.ts';
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Notice, Transition, Webhook } from '../../model/detection.ts';
import type { DetectionEvent } from '../../model/events/detection-events.ts';
import type { Evidence } from './detection-record.ts';
import { detectionRecord } from './detection-record.ts';
import { backoffMs, beginningOf, reasonOf, retryAfterMs } from '../results/http-answer.ts';
import { slackMessage } from './slack-message.ts';

interface WebhooksParts {
  readonly webhooks: readonly Webhook[];
  readonly giveUpAfterMs: number;
  readonly timeoutMs: number;
  /** Evidence from the store: versions, conversations. A notice goes out without it where it can't be had. */
  readonly evidenceOf: (transition: Transition) => Promise<Evidence>;
  readonly onDelivered: (delivered: { readonly id: string; readonly webhook: string }) => void;
  readonly onEvent: (event: DetectionEvent) => void;
  /** The first pause after a failure. */
  readonly pauseMs?: number;
}

const PAUSE_MS = 1000;
const PAUSE_MAX_MS = 300_000;

export class Webhooks {
  readonly #parts: WebhooksParts;
  readonly #queues: readonly Queue[];

  constructor(parts: WebhooksParts) {
    this.#parts = parts;
    this.#queues = parts.webhooks.map((webhook) => new Queue(webhook, parts));
  }

  /** All that waits, as of the last round. */
  take(notices: readonly Notice[]): void {
    for (const queue of this.#queues) queue.take(notices);
  }

  get names(): readonly string[] {
    return this.#parts.webhooks.map(({ name }) => name);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#queues.map((queue) => queue.stop()));
  }
}

type Answer = { readonly ok: true } | { readonly ok: false; readonly problem: string; readonly waitMs: number };

class Queue {
  readonly #webhook: Webhook;
  readonly #parts: WebhooksParts;
  readonly #delivered = new Set<string>();
  readonly #stop = new AbortController();
  #waiting: readonly Notice[] = [];
  #sending: Promise<void> | undefined;

  constructor(webhook: Webhook, parts: WebhooksParts) {
    this.#webhook = webhook;
    this.#parts = parts;
  }

  take(notices: readonly Notice[]): void {
    const { key } = this.#webhook;
    const mine = notices.filter(({ to }) => to.includes(key));
    const ids = new Set(mine.map(({ transition }) => transition.id));
    for (const id of this.#delivered) {
      // The note of the delivery was lost: it is sent again.
      if (ids.has(id)) this.#parts.onDelivered({ id, webhook: key });
      else this.#delivered.delete(id);
    }
    this.#waiting = mine.filter(({ transition }) => !this.#delivered.has(transition.id));
    if (this.#waiting.length === 0 || this.#stop.signal.aborted) return;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    for (let next = this.#waiting[0]; next !== undefined && !this.#stop.signal.aborted; next = this.#waiting[0]) {
      const isSettled = await this.#deliver(next);
      if (!isSettled) return;
      const { id } = next.transition;
      this.#delivered.add(id);
      this.#waiting = this.#waiting.filter(({ transition }) => transition.id !== id);
      this.#parts.onDelivered({ id, webhook: this.#webhook.key });
    }
  }

  /** False if it was stopped before. */
  async #deliver(notice: Notice): Promise<boolean> {
    const { onEvent, giveUpAfterMs, evidenceOf } = this.#parts;
    const { name, format, page } = this.#webhook;
    const { id } = notice.transition;
    for (let attempt = 1; !this.#stop.signal.aborted; attempt += 1) {
      if (Date.now() - notice.queuedAt > giveUpAfterMs) {
        onEvent({ type: 'webhook-given-up', webhook: name, id });
        return true;
      }
      const record = detectionRecord(notice.transition, await evidenceOf(notice.transition));
      const body = visibleJson(format === 'slack' ? slackMessage(record, page) : record);
      const answer = await this.#post(id, body, attempt);
      if (answer.ok) {
        onEvent({ type: 'webhook-delivered', webhook: name, attempts: attempt });
        return true;
      }
      if (this.#stop.signal.aborted) return false;
      onEvent({ type: 'webhook-failed', webhook: name, problem: answer.problem });
      await sleep(answer.waitMs, undefined, { signal: this.#stop.signal }).catch(() => {
        // Stopped: the notices that wait are in the state.
      });
    }
    return false;
  }

  async #post(id: string, body: string, attempt: number): Promise<Answer> {
    const { url, secret } = this.#webhook;
    const waitMs = backoffMs(attempt, { first: this.#parts.pauseMs ?? PAUSE_MS, most: PAUSE_MAX_MS });
    try {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'assay',
          'assay-event-id': id,
          ...(secret === undefined ? {} : { 'assay-signature': signature(secret, body, Date.now()) }),
        },
        body,
        signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(this.#parts.timeoutMs)]),
      });
      const said = await beginningOf(response);
      if (response.ok) return { ok: true };
      const shown = maskedSecrets(said, [secret, ...secretsOfUrl(url)]);
      const problem = `it answered ${response.status}${shown === '' ? '' : `: ${shown}`}`;
      return { ok: false, problem, waitMs: Math.max(waitMs, retryAfterMs(response)) };
    } catch (error) {
      return { ok: false, problem: reasonOf(error), waitMs };
    }
  }
}

/** `t=<seconds>,v1=<HMAC-SHA256 of "<seconds>.<body>" in hex>`: who has the secret sees that it is from us, and from when. */
function signature(secret: string, body: string, now: number): string {
  const seconds = Math.floor(now / 1000);
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}
