/** A note that goes with the next answer. */
import { leaveField } from '../shell/keys.ts';

interface NoteFieldProps {
  readonly note: string;
  readonly onNote: (note: string) => void;
}

export function NoteField({ note, onNote }: NoteFieldProps) {
  return (
    <label class="note">
      {'Note '}
      <input
        type="text"
        value={note}
        maxLength={2_000}
        placeholder="sent with your answer (n)"
        onKeyDown={leaveField}
        onInput={({ currentTarget }) => onNote(currentTarget.value)}
      />
    </label>
  );
}
