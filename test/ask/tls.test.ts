/**
 * A provider whose certificate changes: nothing is sent to an untrusted one, and the judge continues when the right one
 * is back.
 */
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { judgeAt, startAsking, until } from './asked.ts';
import { FIRST, SECOND } from '../certificates.ts';
import { startProvider, YES } from './provider.ts';
import { judgeRequest } from './requests.ts';

test('a certificate that is not trusted stops the judge, and nothing reaches whoever has it', async () => {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, FIRST.cert]);
  onTestFinished(() => setDefaultCACertificates(before));
  const trusted = await startProvider(() => ({ say: YES }), { tls: FIRST });
  const port = Number(new URL(trusted.url).port);
  const { ask, ends, events } = startAsking({ judges: [judgeAt(trusted.url)] });
  const [a, b] = [judgeRequest('a'), judgeRequest('b')];
  ask(a);
  expect(await ends(a)).toMatchObject([{ is: 'answered' }]);
  await trusted.stop();

  const other = await startProvider(() => ({ say: YES }), { tls: SECOND, port });
  ask(b);
  await until(() => events.some(({ type }) => type === 'judge-stopped'));
  const stopped = events.find(({ type }) => type === 'judge-stopped');
  expect(stopped).toMatchObject({ failure: 'unreachable', reason: expect.stringMatching(/CERT/) });
  expect(other.asked).toHaveLength(0);
  await other.stop();

  await startProvider(() => ({ say: YES }), { tls: FIRST, port });
  expect(await ends(b)).toMatchObject([{ is: 'answered' }]);
  expect(events.some(({ type }) => type === 'judge-resumed')).toBe(true);
});
