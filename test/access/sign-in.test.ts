import { expect, test } from 'vitest';
import { seal, sealingKey } from '../../src/access/sealed.ts';
import { SignIn } from '../../src/access/sign-in.ts';
import { head } from './guards.ts';

const KEY = sealingKey('a key of the test');

/** With a provider that is away: a callback that may be finished is told to wait for it. */
function signInWithoutProvider(): SignIn {
  return new SignIn({
    provider: {
      issuer: new URL('http://127.0.0.1:9'),
      clientId: 'assay',
      clientSecret: undefined,
      redirectUrl: new URL('https://assay.example.com/auth/callback'),
      scopes: ['openid'],
      rolesClaim: 'groups',
      roles: {},
    },
    sessions: { key: KEY, isSecure: true, begin: () => '' } as never,
    audit: { write: () => {}, refuse: () => {} },
    clientOf: ({ address }) => ({ address, group: address ?? '', isNamed: false }),
    onEvent: () => {},
    now: () => 1_000,
  });
}

test('used states of others keep nobody from signing in', async () => {
  const signIn = signInWithoutProvider();
  const callback = async (state: string) => {
    const pending = { state, nonce: 'n', verifier: 'v', returnTo: '/', until: 2_000 };
    const cookie = `__Host-assay-sign-in=${seal(KEY, 'sign-in', pending)}`;
    const signedIn = await signIn.finish(new URLSearchParams({ state, code: 'c' }), head({ headers: { cookie } }));
    return 'status' in signedIn ? signedIn.status : 302;
  };
  for (let n = 0; n < 10_000; n += 1) await callback(`of-others-${n}`);

  expect(await callback('of-ana')).toBe(503);
  // Used.
  expect(await callback('of-ana')).toBe(400);
});
