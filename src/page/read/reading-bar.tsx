/** The one question, the answers that a person can give, and a note. */
import type { FailuresAnswer } from '../../api/failures.ts';
import type { ReadingAnswer } from '../../model/readings.ts';
import { KindList, NameField } from '../failures/name-field.tsx';
import { NoteField } from '../review/note-field.tsx';
import { addressOf } from '../shell/place.ts';
import { SpanText } from '../text/span-text.tsx';
import type { Readings } from './use-readings.ts';

export const ANSWERS: readonly { readonly answer: ReadingAnswer; readonly key: string; readonly words: string }[] = [
  { answer: 'good', key: '1', words: 'Went well' },
  { answer: 'bad', key: '2', words: 'Went badly' },
  { answer: 'cannot_tell', key: '3', words: 'Cannot tell' },
];

const NOTES_MAX = 50;

interface ReadingBarProps {
  readonly readings: Readings;
  readonly board: FailuresAnswer | undefined;
  readonly note: string;
  readonly onNote: (note: string) => void;
  readonly onSay: (answer: ReadingAnswer) => void;
}

export function ReadingBar({ readings, board, note, onNote, onSay }: ReadingBarProps) {
  const { given, isSending, mistake, undo, name } = readings;
  const before = given.at(-1);
  const asked = before?.item.asked ?? before?.item.conversation_id ?? '';
  const last = ANSWERS.find(({ answer }) => answer === before?.answer);
  const kinds = new Set(
    [...given, ...(board?.kinds ?? []).map(({ name: kind }) => ({ kind }))].flatMap(({ kind }) => kind ?? []),
  );
  const noted = [...(board?.kinds.flatMap(({ examples }) => examples) ?? []), ...(board?.without_kind ?? [])];
  const notes = new Set([...given, ...noted].flatMap((one) => one.note ?? []));
  return (
    <section class="answer-bar" aria-label="Your answer">
      <h2 class="asked-question">Did this conversation go well for its user?</h2>
      <fieldset class="answers" aria-label="Answers">
        {ANSWERS.map(({ answer, key, words }) => (
          <button key={answer} type="button" class="answer" disabled={isSending} onClick={() => onSay(answer)}>
            {words}
            <kbd>{key}</kbd>
          </button>
        ))}
        <button type="button" class="quiet" disabled={isSending || last === undefined} onClick={undo}>
          Undo<kbd>u</kbd>
        </button>
      </fieldset>
      <NoteField note={note} onNote={onNote} earlier={[...notes].slice(0, NOTES_MAX)} />
      {mistake !== undefined && <p class="mistake" role="alert">{`Your answer was not taken: ${mistake}`}</p>}
      <p class="aside" role="status">
        {last === undefined
          ? 'Verdicts, outcomes and feedback are hidden here.'
          : `You said of the one before: ${last.words.toLowerCase()}.`}
      </p>
      {before?.answer === 'bad' && (
        <p class="last-kind" key={before.item.conversation_id}>
          {'Kind of failure of '}
          {/* In a tab of its own, so that this one keeps what was read. */}
          <a
            href={addressOf('conversations', new URLSearchParams(), before.item.conversation_id)}
            target="_blank"
            rel="noopener"
            title="The conversation before, in a new tab"
          >
            <SpanText text={asked} charactersMax={60} />
          </a>{' '}
          <NameField
            label={`Kind of failure of the conversation before, ${asked}`}
            name={before.kind ?? ''}
            placeholder="a name, then Enter (k)"
            onName={name}
          />
          <KindList names={[...kinds].filter((kind) => kind !== '')} />
        </p>
      )}
    </section>
  );
}
