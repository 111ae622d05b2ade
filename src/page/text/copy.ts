/** A button that copies a text, and says so in its own place. */
import { h, type JSX } from 'preact';
import { useState } from 'preact/hooks';

const SAID_MS = 2_000;

export function Copy({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  const [said, setSaid] = useState<string | undefined>();
  const copy = () => {
    const done = (what: string) => {
      setSaid(what);
      setTimeout(() => setSaid(undefined), SAID_MS);
    };
    // Browsers have no clipboard for pages without TLS, except on this machine.
    if (navigator.clipboard === undefined) done('This browser allows no copying here');
    else
      navigator.clipboard.writeText(text).then(
        () => done('Copied'),
        () => done('Not copied'),
      );
  };
  return h('button', { type: 'button', class: 'quiet', onClick: copy, 'aria-live': 'polite' }, said ?? label);
}
