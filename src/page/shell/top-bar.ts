/** The bar above every view: where to go, the theme, the keys, and who is signed in. */
import { h, type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { PAGE_VIEWS } from '../../model/page-views.ts';
import { ask } from '../api/ask.ts';
import { forgetToken, keptToken } from '../api/token.ts';
import { useReply } from '../api/use-reply.ts';
import { addressOf, type Place, sharedFilters } from './place.ts';
import { applyTheme, chosenTheme, THEMES, type Theme } from './theme.ts';
import { VIEWS } from './views.ts';

interface Me {
  readonly name?: string;
  readonly by?: string;
  readonly sign_out?: string | null;
}

const NOTHING_ASKED = new URLSearchParams();
const THEME_WORDS: Readonly<Record<Theme, string>> = { system: 'as the system', light: 'light', dark: 'dark' };

export function TopBar({ place, onHelp }: { readonly place: Place | undefined; readonly onHelp: () => void }): JSX.Element {
  const filters = sharedFilters(place?.query ?? NOTHING_ASKED);
  return h(
    'header',
    { class: 'top-bar' },
    h('a', { class: 'name', href: '/' }, 'Assay'),
    h(
      'nav',
      { 'aria-label': 'Views' },
      ...PAGE_VIEWS.map((view) =>
        h(
          'a',
          { key: view, href: addressOf(view, filters), 'aria-current': place?.view === view ? 'page' : undefined },
          VIEWS[view].title,
        ),
      ),
    ),
    h(Person, null),
    h(ThemeChoice, null),
    h('button', { type: 'button', class: 'quiet keys-button', onClick: onHelp, title: 'All keys (?)' }, 'Keys'),
  );
}

function ThemeChoice(): JSX.Element {
  const [theme, setTheme] = useState(chosenTheme);
  const onChange = ({ currentTarget }: { readonly currentTarget: EventTarget | null }) => {
    const chosen = THEMES.find((one) => currentTarget instanceof HTMLSelectElement && one === currentTarget.value);
    if (chosen === undefined) return;
    applyTheme(chosen);
    setTheme(chosen);
  };
  return h(
    'select',
    { 'aria-label': 'Theme', class: 'theme', value: theme, onChange },
    ...THEMES.map((one) => h('option', { key: one, value: one, selected: one === theme }, THEME_WORDS[one])),
  );
}

/** Nothing for programs and people of this machine, of whom nobody asks who they are. */
function Person(): JSX.Element | null {
  const { reply } = useReply<Me>('/api/me', NOTHING_ASKED);
  if (reply?.is !== 'here') return null;
  const { name, by, sign_out: signOut } = reply.value;
  if (by === 'loopback' || by === 'insecure') return null;
  const leave = async () => {
    forgetToken();
    if (typeof signOut === 'string') await ask(signOut, { method: 'POST' });
    location.reload();
  };
  const canLeave = typeof signOut === 'string' || keptToken() !== undefined;
  return h(
    'span',
    { class: 'person' },
    h('span', { class: 'who', title: name }, name),
    canLeave && h('button', { type: 'button', class: 'quiet', onClick: () => void leave().catch(() => location.reload()) }, 'Sign out'),
  );
}
