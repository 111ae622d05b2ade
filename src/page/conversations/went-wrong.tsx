/** The menu of what went wrong in the conversations of the list: tools that failed, errors, and how they broke off. */
import { useState } from 'preact/hooks';
import type { CommonAnswer } from '../../api/finds.ts';
import { troubleText } from '../../model/trouble-facts.ts';
import { useReply } from '../api/use-reply.ts';
import { Menu } from '../shell/menu.tsx';
import { addressOf, type Place, withChanges } from '../shell/place.ts';
import { countText } from '../text/format.ts';
import { SpanText } from '../text/span-text.tsx';
import { listQueryOf } from './conversation-filters.tsx';

export function WentWrong({ place }: { readonly place: Place }) {
  const [isAsked, setAsked] = useState(false);
  const query = withChanges(listQueryOf(place), { order: undefined });
  const { reply } = useReply<CommonAnswer>(isAsked ? '/api/v1/common' : undefined, { query });
  return (
    <Menu label="Went wrong" onOpen={() => setAsked(true)}>
      {reply === undefined && <p class="aside">Looking …</p>}
      {reply !== undefined && reply.is !== 'here' && <p class="aside">{reply.why}</p>}
      {reply?.is === 'here' && <Troubles common={reply.value} place={place} />}
    </Menu>
  );
}

function Troubles({ common: { troubles, agent = '', agents }, place }: { common: CommonAnswer; place: Place }) {
  const { query } = place;
  const chosen = query.getAll('fact');
  const offered = troubles.filter(({ fact }) => !chosen.includes(fact));
  if (offered.length === 0) return <p class="aside">No call failed, and none of these broke off with an error.</p>;
  return (
    <>
      {agents > 1 && (
        <p class="aside">
          {'Of '}
          <SpanText text={agent} charactersMax={60} />
        </p>
      )}
      <ul class="went-wrong">
        {offered.map(({ fact, conversations }) => (
          <li key={fact}>
            <a href={addressOf('conversations', withChanges(query, { fact: [...chosen, fact] }))}>
              <SpanText text={troubleText(fact) ?? fact} charactersMax={100} />
            </a>
            <span class="aside">{countText(conversations)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
