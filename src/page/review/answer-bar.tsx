/** The question, the answers that a person can give, and after it what the criterion said. */
import type { VerdictOfCriterion } from '../../api/conversation-detail.ts';
import type { LabelKind } from '../../model/labels.ts';
import { VerdictMark } from '../text/outcome.tsx';
import { SpanText } from '../text/span-text.tsx';
import { Time } from '../text/time.tsx';
import { NoteField } from './note-field.tsx';
import type { Review } from './use-review.ts';

interface AnswerBarProps {
  readonly review: Pick<Review, 'answer' | 'isSending' | 'isSeen' | 'elsewhere' | 'say' | 'undo' | 'move'>;
  readonly question: string;
  /** The criterion's verdict; undefined until the person has answered, or where it said nothing. */
  readonly verdict: VerdictOfCriterion | undefined;
  readonly note: string;
  readonly onNote: (note: string) => void;
}

export const ANSWERS: readonly { readonly label: LabelKind; readonly key: string; readonly words: string }[] = [
  { label: 'pass', key: '1', words: 'Pass' },
  { label: 'fail', key: '2', words: 'Fail' },
  { label: 'not_applicable', key: '0', words: 'Does not apply' },
];

export function AnswerBar({ review, question, verdict, note, onNote }: AnswerBarProps) {
  const { answer, isSending, isSeen, elsewhere } = review;
  return (
    <section class="answer-bar" aria-label="Your answer">
      <h2 class="asked-question">
        <SpanText text={question} charactersMax={600} />
      </h2>
      <fieldset class="answers" aria-label="Answers">
        {ANSWERS.map(({ label, key, words }) => (
          <button
            key={label}
            type="button"
            class={answer === label ? 'answer chosen' : 'answer'}
            aria-pressed={answer === label}
            disabled={isSending || answer !== undefined}
            onClick={() => review.say(label, note)}
          >
            <VerdictMark verdict={label} />
            {words}
            <kbd>{key}</kbd>
          </button>
        ))}
        <button type="button" class="quiet" disabled={isSending} onClick={review.undo}>
          Undo<kbd>u</kbd>
        </button>
        <button type="button" class="quiet" onClick={() => review.move(1)}>
          {answer === undefined ? 'Skip' : 'Next'}
          <kbd>j</kbd>
        </button>
      </fieldset>
      <NoteField note={note} onNote={onNote} />
      {elsewhere !== undefined && (
        <p class="limits" role="alert">
          {`You said “${wordsOf(elsewhere.label)}” elsewhere, `}
          <Time at={elsewhere.at} />. Answer again to replace that.
        </p>
      )}
      <Said answer={answer} verdict={verdict} isSeen={isSeen} />
    </section>
  );
}

function wordsOf(said: LabelKind): string {
  return ANSWERS.find(({ label }) => label === said)?.words ?? said;
}

function Said({ answer, verdict, isSeen }: Pick<Review, 'answer' | 'isSeen'> & Pick<AnswerBarProps, 'verdict'>) {
  if (answer === undefined && isSeen)
    return (
      <p class="limits" role="status">
        You have seen its verdict: another answer would not be blind.
      </p>
    );
  if (answer === undefined)
    return (
      <p class="aside" role="status">
        The verdict is hidden until you have answered.
      </p>
    );
  if (verdict === undefined) return <p role="status">The criterion has no verdict here.</p>;
  const agrees = verdict.verdict === answer;
  return (
    <p class={agrees ? 'said-verdict' : 'said-verdict against'} role="status">
      <VerdictMark verdict={verdict.verdict} />
      {agrees ? ' It says the same: ' : ' It says otherwise: '}
      <SpanText text={verdict.reason} charactersMax={1_000} />
    </p>
  );
}
