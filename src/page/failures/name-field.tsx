/** The name of a kind, which completes from those that are there. Enter gives it, Escape leaves it as it was. */
import { useEffect, useState } from 'preact/hooks';
import { KIND_CHARACTERS_MAX } from '../../model/named-kinds.ts';

interface NameFieldProps {
  readonly label: string;
  /** Name to begin with. */
  readonly name?: string;
  readonly placeholder: string;
  readonly onName: (name: string) => void;
}

const KINDS = 'kinds-of-failure';

export function NameField({ label, name = '', placeholder, onName }: NameFieldProps) {
  const [typed, setTyped] = useState(name);
  useEffect(() => setTyped(name), [name]);
  return (
    <input
      type="text"
      class="kind-name"
      aria-label={label}
      value={typed}
      list={KINDS}
      placeholder={placeholder}
      maxLength={KIND_CHARACTERS_MAX}
      onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      onKeyDown={({ key, currentTarget }) => {
        if (key === 'Escape') setTyped(name);
        if (key === 'Enter') onName(typed.trim());
        if (key === 'Enter' || key === 'Escape') currentTarget.blur();
      }}
    />
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
