/** Log time after a pause: figures by time must not lie in the past for ever. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { exportRequest, traffic, type TrafficConversation } from '../../simulation/traffic.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { type RunningService, runService } from '../running-service.ts';

const WEEKEND_MS = 2.5 * 86_400_000;

async function send({ otlp }: RunningService, { turns, agentVersion }: TrafficConversation): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  for (const turn of turns) {
    const body = exportRequest(turn, agentVersion);
    expect((await fetch(`${otlp}/v1/traces`, { method: 'POST', headers, body })).status).toBe(200);
  }
}

/** Log time at which the conversation was scored; undefined before. */
async function scoredAt({ http }: RunningService, id: string): Promise<number | undefined> {
  const rows = (await (await fetch(`${http}/api/v1/export?table=evaluations`)).text()).trim().split('\n');
  for (const row of rows) {
    if (row === '') continue;
    const { conversation_id, scored_at } = JSON.parse(row) as { conversation_id: string; scored_at: string };
    if (conversation_id === id) return Date.parse(scored_at);
  }
  return undefined;
}

test('after a weekend without the service conversations are scored under the time at which they are', async () => {
  const dataDir = tempDirectory();
  const [before, after] = [...traffic({ seed: 3, conversations: 2, endMarks: 'all' })];
  if (before === undefined || after === undefined) return expect.unreachable();
  const first = await runService({ suites: ['default'], dataDir });
  await send(first, before);
  await expect.poll(() => scoredAt(first, before.id), { timeout: 20_000 }).toBeDefined();
  await first.service.stop();

  const now = Date.now.bind(Date);
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + WEEKEND_MS);
  onTestFinished(() => clock.mockRestore());
  const second = await runService({ suites: ['default'], dataDir });
  const sentAt = Date.now();
  await send(second, after);
  await expect.poll(() => scoredAt(second, after.id), { timeout: 20_000 }).toBeGreaterThan(sentAt - 60_000);
});
