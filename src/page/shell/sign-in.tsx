/** Signed out: people sign in at their identity provider, or paste a token. */
import { useState } from 'preact/hooks';
import { signOut } from '../api/sign-out.ts';
import { forgetToken, keepToken, keptToken } from '../api/token.ts';

interface SignInProps {
  readonly why: string;
  /** Undefined where nobody can sign in. */
  readonly signIn: string | undefined;
}

export function SignIn({ why, signIn }: SignInProps) {
  const back = encodeURIComponent(location.pathname + location.search);
  return (
    <section class="sign-in">
      <h1>You are signed out</h1>
      <p class="aside">{why}</p>
      {signIn !== undefined && (
        <p>
          <a class="button primary" href={`${signIn}?return_to=${back}`}>
            Sign in
          </a>
        </p>
      )}
      <TokenForm
        label={signIn === undefined ? 'Token' : 'Or use a token'}
        mistakeBefore={keptToken() === undefined ? undefined : 'This token is not known, or it has expired.'}
      />
    </section>
  );
}

/** For a person whose role is not enough: the way to another token, and out. */
export function OtherToken() {
  return (
    <div class="sign-in-again">
      <TokenForm label="Use another token" />
      <p>
        <button type="button" onClick={() => void signOut().catch(() => location.reload())}>
          Sign out
        </button>
      </p>
    </div>
  );
}

function TokenForm({ label, mistakeBefore }: { readonly label: string; readonly mistakeBefore?: string | undefined }) {
  const [mistake, setMistake] = useState(mistakeBefore);
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const { currentTarget: form } = event;
    const token = form instanceof HTMLFormElement ? String(new FormData(form).get('token') ?? '').trim() : '';
    if (keepToken(token)) location.reload();
    else {
      forgetToken();
      setMistake('A token has letters, digits and signs only, without blanks.');
    }
  };
  return (
    <form onSubmit={onSubmit}>
      <label for="token">{label}</label>
      <input
        id="token"
        name="token"
        type="password"
        autocomplete="off"
        spellcheck={false}
        required
        aria-describedby="token-about"
      />
      <button type="submit">Use it in this tab</button>
      {mistake !== undefined && (
        <p class="mistake" role="alert">
          {mistake}
        </p>
      )}
      <p id="token-about" class="aside">
        {'It is kept until this tab is closed. Create one with '}
        <code>{'assay token create --name <you> --role read'}</code>.
      </p>
    </form>
  );
}
