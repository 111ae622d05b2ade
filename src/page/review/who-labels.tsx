/** The person who labels or reads: the name of who signed in, else one that is typed once. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { signedInAs } from '../../model/caller.ts';
import { mayLabel, useMe } from '../api/use-me.ts';
import { leaveField } from '../shell/keys.ts';
import { keepLabeller, keptLabeller } from './labeller.ts';

interface WhoLabels {
  /** '' while it is not known, or where the role allows no labels. */
  readonly by: string;
  /** The name, or the field for it. */
  readonly name: JSX.Element;
  /** Why nobody can label. */
  readonly note: JSX.Element | undefined;
}

export function useWhoLabels(): WhoLabels {
  const me = useMe();
  const [typed, setTyped] = useState(keptLabeller);
  const isReader = me !== undefined && !mayLabel(me);
  const signedIn = me === undefined ? undefined : signedInAs(me);
  // Before it is known who that is, nobody labels.
  const by = me === undefined || isReader ? '' : (signedIn ?? typed);
  const onName = (name: string) => {
    keepLabeller(name);
    setTyped(name);
  };
  const name =
    signedIn === undefined ? (
      <Labeller by={typed} onName={onName} />
    ) : (
      <span class="labeller">{`You are ${signedIn}`}</span>
    );
  return { by, name, note: isReader ? MAY_NOT : me !== undefined && by === '' ? NO_NAME : undefined };
}

const MAY_NOT = (
  <section class="problem">
    <h2>Your role may not label</h2>
    <p>
      {'You may read conversations and figures. Labels and readings take the role '}
      <code>review</code>.
    </p>
  </section>
);

const NO_NAME = (
  <p class="limits">Type your name above: labels and readings say who gave them, so that two people can be compared.</p>
);

function Labeller({ by, onName }: { readonly by: string; readonly onName: (name: string) => void }) {
  // An answer that comes meanwhile must not erase the name.
  const [typed, setTyped] = useState(by);
  return (
    <label class="labeller">
      {'You are '}
      <input
        type="text"
        value={typed}
        maxLength={200}
        placeholder="your name"
        autocomplete="username"
        onKeyDown={leaveField}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onChange={({ currentTarget }) => onName(currentTarget.value.trim())}
      />
    </label>
  );
}
