/** Bad readings without a kind: groups whose notes share words, which one press accepts, and then each alone. */
import type { FailedConversation, FailuresAnswer } from '../../api/failures.ts';
import { SomeFirst } from '../shell/some-first.tsx';
import { counted } from '../text/format.ts';
import { Conversation } from './kind-card.tsx';
import { NameField } from './name-field.tsx';
import type { Board } from './use-board.ts';

interface WithoutKindProps {
  readonly of: FailuresAnswer;
  readonly board: Board;
}

const READINGS_SHOWN = 20;

export function WithoutKind({ of, board }: WithoutKindProps) {
  const { without_kind: left, without_kind_count: count, proposed } = of;
  const keyOf = ({ conversation_id: id, by }: FailedConversation) => `${id} ${by}`;
  const grouped = new Set(proposed.flatMap(({ readings }) => readings.map(keyOf)));
  if (count === 0) return null;
  return (
    <section aria-label="Without a kind">
      <h2>{`Without a kind: ${counted(count, 'reading')}`}</h2>
      {proposed.length > 0 && (
        <ul class="proposed-kinds" aria-label="Proposed kinds">
          {proposed.map(({ name, readings }, at) => (
            <li key={readings.map(keyOf).join()}>
              <button type="button" disabled={board.isDisabled} onClick={() => board.name(readings, name)}>
                {`Name ${counted(readings.length, 'reading')} “${name}”`}
                {at === 0 && <kbd>a</kbd>}
              </button>
              {' or as '}
              <NameField
                label={`Another name for ${name}`}
                placeholder="another name"
                onName={(other) => board.name(readings, other)}
              />
              <ul class="kind-examples">
                {readings.map((reading) => (
                  <li key={keyOf(reading)}>
                    <Conversation of={reading} />
                  </li>
                ))}
              </ul>
            </li>
          ))}
        </ul>
      )}
      <SomeFirst of={left.filter((one) => !grouped.has(keyOf(one)))} atATime={READINGS_SHOWN}>
        {(shown) => (
          <ul class="unnamed-readings">
            {shown.map((one) => (
              <li key={keyOf(one)}>
                <span>
                  <Conversation of={one} />
                </span>
                <NameField
                  label={`Kind of ${one.conversation_id}, read by ${one.by}`}
                  placeholder="kind"
                  onName={(kind) => board.name([one], kind)}
                />
              </li>
            ))}
          </ul>
        )}
      </SomeFirst>
    </section>
  );
}
