/** The keys of the view that is shown, in a dialog. */
import { useEffect, useRef } from 'preact/hooks';
import { knownKeys } from './keys.ts';

export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="key-help" onClose={onClose} aria-labelledby="key-help-title">
      <h2 id="key-help-title">Keys of this view</h2>
      <dl>
        {knownKeys().flatMap(({ key, does }) => [
          <dt key={`${key}-key`}>
            {key.split(' ').map((one) => (
              <kbd key={one}>{one}</kbd>
            ))}
          </dt>,
          <dd key={`${key}-does`}>{does}</dd>,
        ])}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
