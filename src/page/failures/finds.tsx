/**
 * Finds: facts that set the conversations that went badly apart from the others, and tools and errors that are new,
 * without anybody having read them.
 */
import type { FindsAnswer } from '../../api/finds.ts';
import { FIND_SOURCES, type FindSource } from '../../model/find-sources.ts';
import { useReply } from '../api/use-reply.ts';
import { Here } from '../shell/here.tsx';
import { addressOf, onlyOf } from '../shell/place.ts';
import { SomeFirst } from '../shell/some-first.tsx';
import { countText, counted } from '../text/format.ts';
import { SpanText } from '../text/span-text.tsx';

const FILTERS = ['agent', 'agent_version', 'environment', 'segment', 'since', 'until'];
const FINDS_SHOWN = 5;

const HEADINGS: Readonly<Record<FindSource, string>> = {
  came_out_bad: 'Came out bad',
  feedback_negative: 'Negative feedback',
  read_bad: 'Read as bad',
  criteria_failed: 'Partial or hard failure',
  new: 'New in this time',
};

export function Finds({ query: all }: { readonly query: URLSearchParams }) {
  const query = onlyOf(all, FILTERS);
  const asked = useReply<FindsAnswer>('/api/v1/finds', { query });
  return (
    <section class="finds" aria-label="What sets failures apart">
      <Here of={asked} wait="Looking for what sets failures apart …" otherwise={(why) => <p class="mistake">{why}</p>}>
        {(answer) => <FoundOf answer={answer} />}
      </Here>
    </section>
  );
}

export function FoundOf({ answer }: { readonly answer: FindsAnswer }) {
  const { agent, conversations, looked_at: lookedAt, sources, finds, cut } = answer;
  const found = FIND_SOURCES.flatMap((source) => {
    const own = finds.filter((find) => find.source === source);
    return own.length === 0 ? [] : [{ source, own, size: sources.find((one) => one.source === source) }];
  });
  return (
    <>
      <h2>
        {'What sets failures apart '}
        <span class="aside">
          <SpanText text={agent} charactersMax={80} />
        </span>
      </h2>
      {found.map(({ source, own, size }) => (
        <div key={source}>
          <h3>
            {HEADINGS[source]}
            {size !== undefined && source !== 'new' && (
              <span class="aside">{`: ${counted(size.conversations, 'conversation')}`}</span>
            )}
          </h3>
          <SomeFirst of={own} atATime={FINDS_SHOWN}>
            {(shown) => (
              <ul>
                {shown.map((find) => (
                  <Found key={find.fact} find={find} />
                ))}
              </ul>
            )}
          </SomeFirst>
        </div>
      ))}
      {found.length === 0 && <p>{nothingWords(answer)}</p>}
      <p class="aside">
        {`Of ${cut ? 'the latest ' : ''}${counted(conversations, 'conversation')}, ${counted(lookedAt, 'fact')} tested. `}
        At most a tenth of all finds is false.
      </p>
    </>
  );
}

function nothingWords({ sources }: FindsAnswer): string {
  if (sources.some(({ source }) => source !== 'new')) return 'Nothing sets them apart.';
  return 'Of fewer than 8 conversations it is known that they went badly: too few to compare.';
}

function Found({ find }: { readonly find: FindsAnswer['finds'][number] }) {
  const { fact, says, link, also, conversation_ids: ids } = find;
  const query = new URLSearchParams(link.slice(link.indexOf('?')));
  return (
    <li>
      <a href={addressOf('conversations', query)}>
        <SpanText text={fact} charactersMax={100} />
      </a>
      {` ${says}`}
      {also.length > 0 && (
        <span class="aside">
          {'; with it: '}
          <SpanText text={also.join('; ')} charactersMax={200} />
        </span>
      )}
      <span class="aside">
        {'. Look at '}
        {ids.map((id, at) => (
          <a key={id} href={addressOf('conversations', query, id)} title={id} aria-label={`Conversation ${at + 1}`}>
            {countText(at + 1)}{' '}
          </a>
        ))}
      </span>
    </li>
  );
}
