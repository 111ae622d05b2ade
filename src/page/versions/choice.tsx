/** A choice that is always in the address, so that a link shows the same after another version has come. */
import { writtenOut } from '../../model/visible-text.ts';
import { goTo } from '../shell/navigation.ts';
import { addressOf, type Place, withChanges } from '../shell/place.ts';

export interface Option {
  readonly value: string;
  readonly words: string;
}

export function Choice({
  place,
  name,
  label,
  value,
  options,
}: {
  readonly place: Place;
  /** Name of the parameter. */
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly Option[];
}) {
  const isKnown = options.some((one) => one.value === value);
  const shown = isKnown ? options : [...options, { value, words: value }];
  return (
    <label class="choice">
      <span class="choice-label">{label}</span>
      <select
        value={value}
        onChange={({ currentTarget }: { readonly currentTarget: EventTarget | null }) => {
          if (currentTarget instanceof HTMLSelectElement) change(place, { [name]: currentTarget.value });
        }}
      >
        {shown.map((one) => (
          <option key={one.value} value={one.value} selected={one.value === value}>
            {writtenOut(one.words)}
          </option>
        ))}
      </select>
    </label>
  );
}

export function change(
  place: Place,
  changes: Readonly<Record<string, string | undefined>>,
  options: { readonly replaces?: boolean } = {},
): void {
  goTo(addressOf('versions', withChanges(place.query, changes)), options);
}
