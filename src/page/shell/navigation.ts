/** Moves between places without loading the page again. Links are plain links, so that they open in a new tab, too. */
import { useEffect, useState } from 'preact/hooks';
import { type Place, placeOf } from './place.ts';

const MOVED = 'assay:moved';

/** A replaced address is none that `back` returns to: for changes of what is already shown. */
export function goTo(address: string, { replaces = false }: { readonly replaces?: boolean } = {}): void {
  const here = location.pathname + location.search;
  if (address === here) return;
  if (replaces) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  window.dispatchEvent(new Event(MOVED));
}

/** Undefined where no view has the address. */
export function usePlace(): Place | undefined {
  const [place, setPlace] = useState(() => placeOf(location));
  useEffect(() => {
    const onMove = () => setPlace(placeOf(location));
    window.addEventListener('popstate', onMove);
    window.addEventListener(MOVED, onMove);
    return () => {
      window.removeEventListener('popstate', onMove);
      window.removeEventListener(MOVED, onMove);
    };
  }, []);
  return place;
}

/** Follows links to places of the page. Every other link, and a click that asks for a new tab, is the browser's. */
export function followLinks(): void {
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || link.target !== '' || link.hasAttribute('download') || link.origin !== location.origin) return;
    if (link.hash !== '' || placeOf(link) === undefined) return;
    event.preventDefault();
    goTo(link.pathname + link.search);
  });
}
