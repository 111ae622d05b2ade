/** People sign in at an OpenID provider. A person who may only read is told so, and refused a label. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ConversationDetail } from '../../src/api/conversation-detail.ts';
import type { ConversationList } from '../../src/api/conversation-list.ts';
import { startIdentityProvider } from '../access/identity-provider.ts';
import { freeListenPorts, startAssay } from '../simulation/process.ts';
import { mistakesOfAccess, openPage, takeScreenshot, useBrowser } from './browser.ts';
import { createToken } from './created-token.ts';
import { sendConversations, untilAnswered } from './sent-spans.ts';

useBrowser();

const OF = 'suite=default&criterion=answered';

async function startWithProvider() {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'assay-page-'));
  const ports = await freeListenPorts();
  const home = `http://127.0.0.1:${ports.http}`;
  const provider = await startIdentityProvider({ redirectUrl: `${home}/auth/callback` });
  const [sender, reader] = [createToken(dataDir, 'ingest', 'sender'), createToken(dataDir, 'read', 'reader')];
  const config = path.join(dataDir, 'assay.yaml');
  writeFileSync(path.join(dataDir, 'client-secret'), provider.clientSecret);
  writeFileSync(
    config,
    `access:
  oidc:
    issuer: ${provider.issuer}
    client_id: assay
    client_secret_file: client-secret
    redirect_url: ${home}/auth/callback
    roles: { readers: read, reviewers: review }
`,
  );
  const service = await startAssay({
    ...{ dataDir, ports, arguments: ['--config', config] },
    env: { ASSAY_TURN_SETTLE: '100ms', ASSAY_CONVERSATION_IDLE: '1s' },
  });
  onTestFinished(async () => {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const spans = [{ id: 'greeting', asked: 'Hello?', answered: 'Hello, how can I help?' }];
  await sendConversations(service.otlpHttp, spans, { token: sender });
  const isScored = ({ conversations: [one] }: ConversationList) => one?.state === 'scored';
  await untilAnswered(`${home}/api/v1/conversations`, isScored, { token: reader });
  return { provider, home };
}

test('a person who may only read is refused a label, and one who may labels under the own name', async () => {
  const { provider, home } = await startWithProvider();
  provider.person = { subject: 'rita', roles: ['readers'] };
  const expected = /status of (?:401|403)/;
  const reader = await openPage(`${home}/review?${OF}`, { expected, identityProvider: provider.issuer });
  await reader.getByRole('link', { name: 'Sign in' }).click();
  await reader.getByRole('heading', { name: 'Your role may not label' }).waitFor();
  await reader.getByText('rita@example.com').first().waitFor();
  expect(reader.url()).toBe(`${home}/review?${OF}`);
  expect(await reader.locator('.answer').count()).toBe(0);
  expect(await mistakesOfAccess(reader)).toEqual([]);
  await takeScreenshot(reader, 'review-may-not');
  expect(await reader.evaluate(putLabel({}))).toMatchObject({ status: 403 });

  provider.person = { subject: 'rob', roles: ['reviewers'] };
  const reviewer = await openPage(`${home}/review?${OF}`, { expected, identityProvider: provider.issuer });
  await reviewer.getByRole('link', { name: 'Sign in' }).click();
  await reviewer.getByText('You are rob@example.com (rob)').waitFor();
  await reviewer.locator('.chat').waitFor();
  await reviewer.keyboard.press('2');
  await reviewer.locator('.said-verdict').waitFor();
  expect(await reviewer.evaluate(putLabel({ by: 'rita@example.com' }))).toEqual({
    status: 403,
    body: { error: 'you are signed in as rob@example.com (rob), and label under that name' },
  });
  const kept = await reviewer.evaluate<ConversationDetail>(
    'fetch("/api/v1/conversations/greeting").then((one) => one.json())',
  );
  expect(kept.labels).toMatchObject([{ criterion: 'answered', label: 'fail', by: 'rob@example.com (rob)' }]);
});

/** For the browser: with the session's cookie, and without the page. */
function putLabel(more: { readonly by?: string }): string {
  const label = JSON.stringify({ suite: 'default', criterion: 'answered', label: 'pass', ...more });
  return `(async () => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch('/v1/labels/greeting', { method: 'PUT', headers, body: ${JSON.stringify(label)} });
    return { status: answer.status, body: await answer.json() };
  })()`;
}
