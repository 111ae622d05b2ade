/** The keys of the view that is shown, in a dialog. */
import { h, type JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { knownKeys } from './keys.ts';

export function KeyHelp({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return h(
    'dialog',
    { ref: dialog, class: 'key-help', onClose, 'aria-labelledby': 'key-help-title' },
    h('h2', { id: 'key-help-title' }, 'Keys of this view'),
    h(
      'dl',
      null,
      ...knownKeys().flatMap(({ key, does }) => [
        h('dt', { key: `${key}-key` }, ...key.split(' ').map((one) => h('kbd', { key: one }, one))),
        h('dd', { key: `${key}-does` }, does),
      ]),
    ),
    h('form', { method: 'dialog' }, h('button', { type: 'submit' }, 'Close')),
  );
}
