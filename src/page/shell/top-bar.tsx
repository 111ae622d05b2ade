/** The bar above every view: where to go, the theme, the keys, and who is signed in. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { signedInAs } from '../../model/caller.ts';
import { PAGE_VIEWS } from '../../model/page-views.ts';
import { writtenOut } from '../../model/visible-text.ts';
import { signOut } from '../api/sign-out.ts';
import { keptToken } from '../api/token.ts';
import { isNobody, useMe } from '../api/use-me.ts';
import { useService } from '../api/use-service.ts';
import { addressOf, type Place, sharedFilters } from './place.ts';
import { applyTheme, chosenTheme, type Theme } from './theme.ts';
import { VIEWS } from './views.ts';

const NOTHING_ASKED = new URLSearchParams();
const THEME_WORDS: Readonly<Record<Theme, string>> = { system: 'as the system', light: 'light', dark: 'dark' };

export function TopBar({ place, onHelp }: { readonly place: Place | undefined; readonly onHelp: () => void }) {
  const filters = sharedFilters(place?.query ?? NOTHING_ASKED);
  const project = useService()?.project;
  const nav = useRef<HTMLElement>(null);
  // On a phone the bar scrolls, and the view that is shown may be beyond its edge.
  useEffect(() => {
    const current = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (current != null && nav.current !== null) nav.current.scrollLeft = current.offsetLeft - 8;
  }, [place?.view]);
  return (
    <header class="top-bar">
      <a class="name" href="/">
        Assay{project !== undefined && <span class="project">{` ${project}`}</span>}
      </a>
      <nav ref={nav} aria-label="Views">
        {PAGE_VIEWS.map((view) => (
          <a key={view} href={addressOf(view, filters)} aria-current={place?.view === view ? 'page' : undefined}>
            {VIEWS[view].title}
          </a>
        ))}
      </nav>
      <Person />
      <ThemeChoice />
      <button type="button" class="quiet keys-button" onClick={onHelp} title="Keys of this view (?)">
        Keys
      </button>
    </header>
  );
}

/** One press goes to the next of the three. The first shows another look than that of the system. */
function ThemeChoice() {
  const [theme, setTheme] = useState(chosenTheme);
  const onClick = () => {
    const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
    const order: readonly Theme[] = [
      'system',
      ...(isDark ? (['light', 'dark'] as const) : (['dark', 'light'] as const)),
    ];
    const next = order[(order.indexOf(theme) + 1) % order.length] ?? 'system';
    applyTheme(next);
    setTheme(next);
  };
  const words = `Theme: ${THEME_WORDS[theme]}`;
  return (
    <button type="button" class="quiet theme" onClick={onClick} title={words} aria-label={words}>
      <svg viewBox="0 0 16 16" class={`theme-mark ${theme}`} aria-hidden="true">
        <circle cx={8} cy={8} r={6} class="line" />
        <path d={HALVES[theme]} class="filled" />
      </svg>
    </button>
  );
}

const HALVES: Readonly<Record<Theme, string>> = {
  system: 'M8 2a6 6 0 0 1 0 12z',
  light: '',
  dark: 'M8 2a6 6 0 0 1 0 12a6 6 0 0 1 0-12z',
};

/** Nothing for programs and people of this machine, of whom nobody asks who they are. */
function Person() {
  const me = useMe();
  if (me === undefined || isNobody(me)) return null;
  const name = writtenOut(signedInAs(me) ?? me.name ?? '');
  const canLeave = typeof me.sign_out === 'string' || keptToken() !== undefined;
  return (
    <span class="person">
      <span class="who" title={name}>
        {name}
      </span>
      {canLeave && (
        <button type="button" class="quiet" onClick={() => void signOut().catch(() => location.reload())}>
          Sign out
        </button>
      )}
    </span>
  );
}
