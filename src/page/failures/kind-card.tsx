/** A kind of failure: how often it comes, conversations that have it, and what a person may do with it. */
import type { FailedConversation, FailureKind } from '../../api/failures.ts';
import { KIND_STATES, type KindState } from '../../model/named-kinds.ts';
import { writtenOut } from '../../model/visible-text.ts';
import { addressOf } from '../shell/place.ts';
import { ShareEstimate } from '../text/estimate.tsx';
import { counted } from '../text/format.ts';
import { SpanText } from '../text/span-text.tsx';
import { Time } from '../text/time.tsx';
import { NameField } from './name-field.tsx';
import type { Board } from './use-board.ts';

const STATE_WORDS: Readonly<Record<KindState, string>> = { open: 'Open', watched: 'Watched', mended: 'Mended' };

export function KindCard({ kind, board }: { readonly kind: FailureKind; readonly board: Board }) {
  const { name, state, readings, conversations, share, last_at: last, examples } = kind;
  return (
    <li class="kind-card">
      <h3>
        <SpanText text={name} />
      </h3>
      <p>
        <a href={addressOf('conversations', new URLSearchParams({ agent: board.agent, kind: name }))}>
          {counted(readings, 'reading')}
          {conversations !== readings && ` of ${counted(conversations, 'conversation')}`}
        </a>
        {' of any time'}
        {share !== undefined && (
          <>
            {' · '}
            <ShareEstimate estimate={share} of="reading" />
            {' of the conversations of this time'}
          </>
        )}
      </p>
      {last !== undefined && (
        <p class="aside">
          {'last began '}
          <Time at={last} />
        </p>
      )}
      <ul class="kind-examples">
        {examples.map((example) => (
          <li key={example.conversation_id}>
            <Conversation of={example} />
          </li>
        ))}
      </ul>
      <div class="kind-states">
        {KIND_STATES.filter((one) => one !== state).map((one) => (
          <button key={one} type="button" disabled={board.isDisabled} onClick={() => board.setState(name, one)}>
            {STATE_WORDS[one]}
            <span class="only-heard">{` ${name}`}</span>
          </button>
        ))}
      </div>
      <NameField
        label={`Another name for ${name}, or the kind to merge it into`}
        placeholder="rename, or merge into"
        others={board.kinds.filter((one) => one !== name)}
        onName={(into) => board.rename(name, into)}
      />
    </li>
  );
}

/** A link with the user's first words, or the id where they are not known, and the note of who read it. */
export function Conversation({ of }: { readonly of: Pick<FailedConversation, 'conversation_id' | 'asked' | 'note'> }) {
  const { conversation_id: id, asked, note } = of;
  return (
    <>
      <a href={addressOf('conversations', new URLSearchParams(), id)} title={writtenOut(id)}>
        <SpanText text={asked ?? id} charactersMax={60} />
      </a>
      {note !== undefined && <SpanText in="span" class="aside" text={` ${note}`} charactersMax={100} />}
    </>
  );
}
