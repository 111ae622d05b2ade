/** Signed out: people sign in at their identity provider, or paste a token. */
import { h, type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { signOut } from '../api/sign-out.ts';
import { forgetToken, keepToken, keptToken } from '../api/token.ts';

interface SignInProps {
  readonly why: string;
  /** Undefined where nobody can sign in. */
  readonly signIn: string | undefined;
}

export function SignIn({ why, signIn }: SignInProps): JSX.Element {
  const back = encodeURIComponent(location.pathname + location.search);
  return h(
    'section',
    { class: 'sign-in' },
    h('h1', null, 'You are signed out'),
    h('p', { class: 'aside' }, why),
    signIn !== undefined &&
      h('p', null, h('a', { class: 'button primary', href: `${signIn}?return_to=${back}` }, 'Sign in')),
    h(TokenForm, {
      label: signIn === undefined ? 'Token' : 'Or use a token',
      mistakeBefore: keptToken() === undefined ? undefined : 'This token is not known, or it has expired.',
    }),
  );
}

/** For a person whose role is not enough: the way to another token, and out. */
export function OtherToken(): JSX.Element {
  return h(
    'div',
    { class: 'sign-in-again' },
    h(TokenForm, { label: 'Use another token' }),
    h(
      'p',
      null,
      h('button', { type: 'button', onClick: () => void signOut().catch(() => location.reload()) }, 'Sign out'),
    ),
  );
}

function TokenForm({
  label,
  mistakeBefore,
}: {
  readonly label: string;
  readonly mistakeBefore?: string | undefined;
}): JSX.Element {
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
  return h(
    'form',
    { onSubmit },
    h('label', { for: 'token' }, label),
    h('input', {
      id: 'token',
      name: 'token',
      type: 'password',
      autocomplete: 'off',
      spellcheck: false,
      required: true,
      'aria-describedby': 'token-about',
    }),
    h('button', { type: 'submit' }, 'Use it in this tab'),
    mistake !== undefined && h('p', { class: 'mistake', role: 'alert' }, mistake),
    h(
      'p',
      { id: 'token-about', class: 'aside' },
      'It is kept until this tab is closed. Create one with ',
      h('code', null, 'assay token create --name <you> --role read'),
      '.',
    ),
  );
}
