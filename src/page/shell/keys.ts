/**
 * Keys. Each view says which it knows while it is shown; `?` lists them all. A key that is typed into a field, or pressed
 * with Ctrl, Alt or the Command key, is never one of them.
 */
import { useLayoutEffect } from 'preact/hooks';

interface Key {
  /** `j`, `enter`, `esc`, or a pair such as `g o`. */
  readonly key: string;
  readonly does: string;
  readonly press: () => void;
}

const known = new Set<{ readonly keys: readonly Key[] }>();
const NAMES: Readonly<Record<string, string>> = { Escape: 'esc', Enter: 'enter' };
/** The second key of a pair has to follow within so long. */
const PAIR_MS = 1_500;

export function useKeys(keys: readonly Key[]): void {
  // With the drawing itself: a key that follows at once must not meet the keys of the view before.
  useLayoutEffect(() => addKeys(keys));
}

/** Known until the function that it returns is called. */
export function addKeys(keys: readonly Key[]): () => void {
  const entry = { keys };
  known.add(entry);
  return () => {
    known.delete(entry);
  };
}

export function knownKeys(): readonly Key[] {
  return [...known].flatMap(({ keys }) => keys);
}

export function listenToKeys(): void {
  let first: { readonly key: string; readonly at: number } | undefined;
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = NAMES[event.key] ?? event.key;
    if (isTyping(event.target) && key !== 'esc') return;
    // A link or a button that has the focus is pressed by it.
    if (key === 'enter' && event.target instanceof Element && event.target.closest('a, button, summary') !== null)
      return;
    const keys = knownKeys();
    const pair = first !== undefined && event.timeStamp - first.at < PAIR_MS ? `${first.key} ${key}` : undefined;
    const pressed = keys.findLast((one) => one.key === pair) ?? keys.findLast((one) => one.key === key);
    first = pressed === undefined ? { key, at: event.timeStamp } : undefined;
    if (pressed === undefined) return;
    event.preventDefault();
    pressed.press();
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, select, textarea') !== null;
}

/** For fields: Enter and Escape give the keys back to the view. */
export function leaveField({
  key,
  currentTarget,
}: {
  readonly key: string;
  readonly currentTarget: EventTarget | null;
}): void {
  if ((key === 'Enter' || key === 'Escape') && currentTarget instanceof HTMLElement) currentTarget.blur();
}
