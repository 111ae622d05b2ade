/**
 * Webhooks that are notified of what detection finds. A URL that holds a secret, as Slack's do, is named by a file or a variable, and so is the
 * key that notices are signed with (`secrets.ts`).
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { NOTICE_KINDS, type NoticeKind, type Webhook } from '../model/detection.ts';
import { mapping } from './mapping.ts';
import { secretFrom } from './secrets.ts';
import { section } from './section.ts';
import { choice, setting, someText, text, type ValuesOf } from './setting.ts';
import type { Sources } from './sources.ts';
import { isWebAddress } from '../model/web-address.ts';

const WEBHOOKS_MAX = 20;
/** A receiver that is away for a night gets its notices in the morning; after a day the page and the metrics say more than they do. */
const DELIVERY = { giveUpAfterMs: 24 * 3_600_000, timeoutMs: 10_000 };
const DEFAULT_ON: readonly NoticeKind[] = ['regressed', 'partly_back', 'recovered', 'version_worse'];
const known = NOTICE_KINDS.join(', ');
const noticeKinds = z.array(z.enum(NOTICE_KINDS, `one of ${known}`), `a list of ${known}`).min(1, 'at least one');

const WEBHOOK = {
  name: setting(
    { key: 'name', example: 'chat', rare: true },
    "In metrics and the log, where the URL never is; the URL's host unless given.",
    someText.max(100, 'at most 100 characters'),
  ),
  url: text({ key: 'url', example: 'https://ci.example/hooks/assay', rare: true }, 'Address that notices are sent to.'),
  urlFile: text({ key: 'url_file', example: '/run/secrets/hook' }, 'File that holds the address.'),
  urlEnv: text({ key: 'url_env', example: 'SLACK_WEBHOOK_URL' }, 'Variable that holds the address.'),
  format: choice(
    ['slack', 'json'],
    { key: 'format', default: 'json' },
    "slack is for Slack's incoming webhooks, and others that take the same.",
  ),
  secretFile: text(
    { key: 'secret_file', example: '/run/secrets/key', rare: true },
    'File with the key that signs notices.',
  ),
  secretEnv: text({ key: 'secret_env', example: 'HOOK_KEY', rare: true }, 'Variable with that key.'),
  on: setting({ key: 'on', default: DEFAULT_ON }, 'Changes that are sent.', noticeKinds),
  page: text(
    { key: 'page', example: 'https://assay.example.com' },
    'Address of the page as receivers reach it: messages of slack link to the agent and its conversations.',
  ),
};

export const ALERTS = section('reload', 'Notices of what detection finds (detection.md).', {
  webhooks: setting(
    {
      key: 'alerts.webhooks',
      default: [],
      example: [{ name: 'chat', url_env: 'SLACK_WEBHOOK_URL', format: 'slack', on: ['regressed', 'recovered'] }],
    },
    'Receivers of notices.',
    z.array(mapping(WEBHOOK), 'a list of webhooks').max(WEBHOOKS_MAX, `at most ${WEBHOOKS_MAX} webhooks`),
    WEBHOOK,
  ),
}).build(({ webhooks: written }, sources) => {
  const webhooks = written.flatMap((webhook, index) => webhookOf(webhook, index, sources));
  const twice = webhooks.find(({ key }, index) => webhooks.findIndex((other) => other.key === key) !== index);
  if (twice !== undefined) sources.mistake('alerts.webhooks', `${twice.name} is there twice`, 'each URL once');
  return { ...DELIVERY, webhooks };
});

function webhookOf(written: ValuesOf<typeof WEBHOOK>, index: number, sources: Sources): Webhook[] {
  const mistake = (problem: string, expected: string) =>
    sources.mistake('alerts.webhooks', `number ${index + 1}: ${problem}`, expected);
  const named = secretFrom(sources.places, { file: written.urlFile, variable: written.urlEnv });
  const signing = secretFrom(sources.places, { file: written.secretFile, variable: written.secretEnv });
  for (const found of [named, signing]) if ('problem' in found) mistake(found.problem, found.expected);
  const url = ('secret' in named ? named.secret : undefined) ?? written.url;
  if (url === undefined) {
    if (!('problem' in named)) mistake('it has no URL', 'url, url_file or url_env');
    return [];
  }
  if (!isWebAddress(url)) {
    mistake('its URL is not one', 'an address that begins with https:// or http://');
    return [];
  }
  const { format, on, page, name = new URL(url).host } = written;
  if (page !== undefined && !isWebAddress(page))
    mistake('its page is no address', 'one that begins with https:// or http://');
  const key = createHash('sha256').update(`${format} ${url}`).digest('hex').slice(0, 16);
  return [
    {
      name,
      key,
      url,
      format,
      secret: 'secret' in signing ? signing.secret : undefined,
      on,
      page: page?.replace(/\/+$/, ''),
    },
  ];
}
