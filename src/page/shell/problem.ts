/** Why there is nothing to see, and the next thing to do. */
import { h, type JSX } from 'preact';
import type { NoReply } from '../api/ask.ts';
import { SpanText } from '../text/span-text.ts';
import { SignIn } from './sign-in.ts';

const TITLES: Readonly<Record<Exclude<NoReply['is'], 'signed-out'>, string>> = {
  forbidden: 'Your role may not see this',
  missing: 'There is nothing here',
  refused: 'The address of this page asks for something that the service does not know',
  away: 'The service cannot answer now',
};

export function Problem({ of, again }: { readonly of: NoReply; readonly again?: () => void }): JSX.Element {
  if (of.is === 'signed-out') return h(SignIn, { why: of.why, signIn: of.signIn });
  return h(
    'section',
    { class: 'problem', role: 'alert' },
    h('h2', null, TITLES[of.is]),
    h('p', null, h(SpanText, { text: of.why, charactersMax: 2_000 })),
    of.is === 'away' &&
      of.isStore === true &&
      h(
        'p',
        { class: 'aside' },
        'Receiving spans does not depend on this: ',
        h('a', { href: '/readyz', target: '_blank', rel: 'noopener' }, 'how the service is'),
        ' and ',
        h('a', { href: '/metrics', target: '_blank', rel: 'noopener' }, 'its metrics'),
        ' can be seen meanwhile.',
      ),
    again !== undefined && h('p', null, h('button', { type: 'button', onClick: again }, 'Try again')),
  );
}
