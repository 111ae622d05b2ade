/**
 * Where changes that detection finds are told. A URL that holds a secret, as Slack's do, is named by a file or a variable, and so is the key that
 * notices are signed with (`secrets.ts`).
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { NOTICE_KINDS, type NoticeKind, type Webhook } from '../model/detection.ts';
import { durationMs } from './quantities.ts';
import { type SecretPlaces, secretFrom } from './secrets.ts';
import type { Sources } from './sources.ts';

export interface AlertSettings {
  readonly webhooks: readonly Webhook[];
  readonly giveUpAfterMs: number;
  readonly timeoutMs: number;
}

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const WEBHOOKS_MAX = 20;
const DEFAULT_ON: readonly NoticeKind[] = ['regressed', 'recovered', 'version_worse'];

export function readAlerts(sources: Sources, places: SecretPlaces): AlertSettings {
  const written = sources.read({ key: 'alerts.webhooks' }, webhookList, []).value;
  const webhooks = written.flatMap((webhook, index) => webhookOf(webhook, index, { sources, places }));
  const twice = webhooks.find(({ key }, index) => webhooks.findIndex((other) => other.key === key) !== index);
  if (twice !== undefined)
    sources.mistake({ key: 'alerts.webhooks' }, 'file', `${twice.name} is there twice`, 'each URL once');
  return {
    webhooks,
    giveUpAfterMs: sources.read(
      { key: 'alerts.give_up_after' },
      durationMs({ min: SECOND, max: 30 * 24 * HOUR }),
      24 * HOUR,
    ).value,
    timeoutMs: sources.read({ key: 'alerts.timeout' }, durationMs({ min: 100, max: 60 * SECOND }), 10 * SECOND).value,
  };
}

type Written = z.infer<typeof webhookSchema>;

function webhookOf(
  written: Written,
  index: number,
  { sources, places }: { readonly sources: Sources; readonly places: SecretPlaces },
): Webhook[] {
  const mistake = (problem: string, expected: string) =>
    sources.mistake({ key: 'alerts.webhooks' }, 'file', `number ${index + 1}: ${problem}`, expected);
  const named = secretFrom(places, { file: written.url_file, variable: written.url_env });
  const signing = secretFrom(places, { file: written.secret_file, variable: written.secret_env });
  for (const found of [named, signing]) if ('problem' in found) mistake(found.problem, found.expected);
  const url = ('secret' in named ? named.secret : undefined) ?? written.url;
  if (url === undefined) {
    if (!('problem' in named)) mistake('it has no URL', 'url, url_file or url_env');
    return [];
  }
  if (!isHttp(url)) {
    mistake('its URL is not one', 'an address that begins with https:// or http://');
    return [];
  }
  const name = written.name ?? new URL(url).host;
  const key = createHash('sha256').update(`${written.format} ${url}`).digest('hex').slice(0, 16);
  const secret = 'secret' in signing ? signing.secret : undefined;
  return [{ name, key, url, format: written.format, secret, on: written.on }];
}

function isHttp(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

const someText = z.string('a text').min(1, 'a text that is not empty');
const webhookSchema = z.strictObject({
  name: someText.max(100, 'at most 100 characters').optional(),
  url: someText.optional(),
  url_file: someText.optional(),
  url_env: someText.optional(),
  format: z.enum(['slack', 'json'], 'slack or json').default('json'),
  secret_file: someText.optional(),
  secret_env: someText.optional(),
  on: z
    .array(z.enum(NOTICE_KINDS, `one of ${NOTICE_KINDS.join(', ')}`))
    .min(1, 'at least one')
    .default([...DEFAULT_ON]),
});
const webhookList: z.ZodType<readonly Written[]> = z
  .array(webhookSchema, 'a list of webhooks')
  .max(WEBHOOKS_MAX, `at most ${WEBHOOKS_MAX} webhooks`);
