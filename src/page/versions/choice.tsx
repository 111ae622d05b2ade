/** A choice that is always in the address, so that a link shows the same after another version has come. */
import { goTo } from '../shell/navigation.ts';
import { addressOf, type Place, withChanges } from '../shell/place.ts';
import { type Option, Select } from '../shell/select.tsx';

interface ChoiceProps {
  readonly place: Place;
  /** Name of the parameter. */
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly Option[];
}

export function Choice({ place, name, label, value, options }: ChoiceProps) {
  return (
    <label class="choice">
      <span class="choice-label">{label}</span>
      <Select value={value} options={options} onChoose={(chosen) => change(place, { [name]: chosen })} />
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
