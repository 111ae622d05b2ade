/** A choice between some values. One that is chosen stays in the list, even if nothing offers it any more. */
import { writtenOut } from '../../model/visible-text.ts';

export interface Option {
  readonly value: string;
  readonly words: string;
}

interface SelectProps {
  readonly value: string;
  readonly options: readonly Option[];
  readonly onChoose: (value: string) => void;
}

export function Select({ value, options, onChoose }: SelectProps) {
  const isKnown = options.some((one) => one.value === value);
  return (
    <select value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
      {[...options, ...(isKnown ? [] : [{ value, words: value }])].map((one) => (
        <option key={one.value} value={one.value} selected={one.value === value}>
          {writtenOut(one.words)}
        </option>
      ))}
    </select>
  );
}
