/** Why there is nothing to see, and the next thing to do. */
import type { NoReply } from '../api/ask.ts';
import { SpanText } from '../text/span-text.tsx';
import { OtherToken, SignIn } from './sign-in.tsx';

const TITLES: Readonly<Record<Exclude<NoReply['is'], 'signed-out'>, string>> = {
  forbidden: 'Your role may not see this',
  missing: 'There is nothing here',
  refused: 'The address of this page asks for something that the service does not know',
  away: 'The service cannot answer now',
};

export function Problem({ of, again }: { readonly of: NoReply; readonly again?: (() => void) | undefined }) {
  if (of.is === 'signed-out') return <SignIn why={of.why} signIn={of.signIn} />;
  return (
    <section class="problem" role="alert">
      <h2>{TITLES[of.is]}</h2>
      <SpanText in="p" text={of.why} charactersMax={2_000} />
      {of.is === 'refused' && (
        <p class="aside">If the service was updated or set back since this page was opened, load the page again.</p>
      )}
      {of.is === 'away' && of.isStore === true && (
        <p class="aside">
          {'Receiving spans does not depend on this: '}
          <a href="/readyz" target="_blank" rel="noopener">
            how the service is
          </a>
          {' and '}
          <a href="/metrics" target="_blank" rel="noopener">
            its metrics
          </a>
          {' can be seen meanwhile.'}
        </p>
      )}
      {of.is === 'forbidden' && <OtherToken />}
      {again !== undefined && (
        <p>
          <button type="button" onClick={again}>
            Try again
          </button>
        </p>
      )}
    </section>
  );
}
