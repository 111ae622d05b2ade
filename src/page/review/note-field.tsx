/** A note that goes with the next answer. */
import { leaveField } from '../shell/keys.ts';

const NOTES = 'earlier-notes';

interface NoteFieldProps {
  readonly note: string;
  readonly onNote: (note: string) => void;
  /** Earlier notes, from which it completes. */
  readonly earlier?: readonly string[];
}

export function NoteField({ note, onNote, earlier = [] }: NoteFieldProps) {
  return (
    <label class="note">
      {'Note '}
      <input
        type="text"
        value={note}
        maxLength={2_000}
        list={NOTES}
        placeholder="sent with your answer (n)"
        onKeyDown={leaveField}
        onInput={({ currentTarget }) => onNote(currentTarget.value)}
      />
      <datalist id={NOTES}>
        {earlier.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </label>
  );
}
