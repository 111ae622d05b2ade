/** The name of a kind, which completes from those that are there. Enter gives it, a second one where it merges; Escape leaves it as it was. */
import { useEffect, useState } from 'preact/hooks';
import { KIND_CHARACTERS_MAX, kindName } from '../../model/named-kinds.ts';

interface NameFieldProps {
  readonly label: string;
  /** Name to begin with. */
  readonly name?: string;
  readonly placeholder: string;
  /** Names of other kinds: one of these merges, which is asked about first. */
  readonly others?: readonly string[];
  readonly onName: (name: string) => void;
}

const KINDS = 'kinds-of-failure';

export function NameField({ label, name = '', placeholder, others = [], onName }: NameFieldProps) {
  const [typed, setTyped] = useState(name);
  const [asks, setAsks] = useState(false);
  const given = kindName(typed);
  const merges = others.includes(given);
  const type = (text: string) => {
    setTyped(text);
    setAsks(false);
  };
  useEffect(() => type(name), [name]);
  return (
    <>
      <input
        type="text"
        class="kind-name"
        aria-label={label}
        value={typed}
        list={KINDS}
        placeholder={placeholder}
        maxLength={KIND_CHARACTERS_MAX}
        onInput={({ currentTarget }) => type(currentTarget.value)}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter' && merges && !asks) {
            setAsks(true);
            return;
          }
          if (key === 'Escape') type(name);
          if (key === 'Enter') onName(given);
          if (key === 'Enter' || key === 'Escape') currentTarget.blur();
        }}
      />
      {merges && (
        <button type="button" class="quiet" onClick={() => onName(given)}>
          {`Merge into “${given}”`}
        </button>
      )}
      {asks && (
        <span class="limits" role="status">
          Enter merges all readings of both; Escape leaves them.
        </span>
      )}
    </>
  );
}

/** Once on a page, for all fields. */
export function KindList({ names }: { readonly names: readonly string[] }) {
  return (
    <datalist id={KINDS}>
      {names.map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  );
}
