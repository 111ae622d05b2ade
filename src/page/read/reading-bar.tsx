/** The one question, the answers that a person can give, and what may be added to one. */
import type { ReadingAnswer } from '../../model/readings.ts';
import { leaveField } from '../shell/keys.ts';
import { SpanText } from '../text/span-text.tsx';
import type { FirstWrong } from './read-conversation.tsx';
import type { Readings } from './use-readings.ts';

export const ANSWERS: readonly { readonly answer: ReadingAnswer; readonly key: string; readonly words: string }[] = [
  { answer: 'good', key: '1', words: 'Went well' },
  { answer: 'bad', key: '2', words: 'Went badly' },
  { answer: 'cannot_tell', key: '3', words: 'Cannot tell' },
];

interface ReadingBarProps {
  readonly readings: Pick<Readings, 'given' | 'isSending' | 'mistake' | 'undo'>;
  readonly note: string;
  readonly firstWrong: FirstWrong | undefined;
  readonly onNote: (note: string) => void;
  readonly onSay: (answer: ReadingAnswer) => void;
  /** Takes the first wrong step away. */
  readonly onClear: () => void;
}

export function ReadingBar({ readings, note, firstWrong, onNote, onSay, onClear }: ReadingBarProps) {
  const { given, isSending, mistake } = readings;
  const last = given.at(-1)?.answer;
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
        <button type="button" class="quiet" disabled={isSending || last === undefined} onClick={readings.undo}>
          Undo<kbd>u</kbd>
        </button>
      </fieldset>
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
      {firstWrong !== undefined && (
        <p class="first-wrong">
          {'Went wrong first: '}
          <SpanText in="b" text={firstWrong.words} charactersMax={120} />
          <button type="button" class="quiet" onClick={onClear}>
            Clear
          </button>
        </p>
      )}
      {mistake !== undefined && (
        <p class="mistake" role="alert">
          {`Your answer was not taken: ${mistake}`}
        </p>
      )}
      <p class="aside" role="status">
        {last === undefined
          ? 'Verdicts, outcomes and feedback are hidden here.'
          : `You said of the one before: ${wordsOf(last)}.`}
      </p>
    </section>
  );
}

function wordsOf(said: ReadingAnswer): string {
  return (ANSWERS.find(({ answer }) => answer === said)?.words ?? said).toLowerCase();
}
