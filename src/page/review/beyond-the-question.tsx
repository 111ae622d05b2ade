/** More that a person can do with a conversation than answer the question: say whether it went well, correct the truth, keep it. */
import { useState } from 'preact/hooks';
import type { ConversationDetail } from '../../api/conversation-detail.ts';
import { ask, type Reply } from '../api/ask.ts';
import { useKeys } from '../shell/keys.ts';

type Answer = 'good' | 'bad' | null;

interface BeyondTheQuestionProps {
  readonly conversation: ConversationDetail;
  /** Name of the person. */
  readonly by: string;
  readonly isAnswered: boolean;
  /** Why the whole conversation cannot be answered for: it would not be blind, or a part is hidden. */
  readonly whyNotRead: string | undefined;
}

export function BeyondTheQuestion({ conversation, by, isAnswered, whyNotRead }: BeyondTheQuestionProps) {
  const { conversation_id: id } = conversation;
  const place = encodeURIComponent(id);
  return (
    <section class="beyond">
      <h3>The whole conversation</h3>
      <WholeReading id={id} by={by} whyNot={whyNotRead} />
      {/* It may say what the criterion should have answered. */}
      {isAnswered && <Truth conversation={conversation} />}
      <p class="head-actions">
        <a class="button quiet" href={`/api/v1/golden/${place}`} download="golden.yaml">
          Golden trace (draft)
        </a>
        <a class="button quiet" href={`/api/v1/case/${place}`} download="case.jsonl">
          Dataset case
        </a>
        {/* It has the verdicts. */}
        {isAnswered && conversation.evaluations.length > 0 && (
          <a class="button quiet" href={`/api/v1/test/${place}`} download="kept.test.yaml">
            Test case
          </a>
        )}
      </p>
    </section>
  );
}

interface WholeReadingProps {
  readonly id: string;
  readonly by: string;
  readonly whyNot: string | undefined;
}

/** A reading of the conversation, as the view Read puts it. */
function WholeReading({ id, by, whyNot }: WholeReadingProps) {
  const [answer, setAnswer] = useState<Answer>(null);
  const [why, setWhy] = useState<string | undefined>();
  const put = (said: Answer) => {
    if (whyNot !== undefined) return;
    send('/v1/readings', { conversation_id: id, answer: said, by }, setWhy, () => setAnswer(said));
  };
  // Known even where they do nothing: a `1` alone would answer the question.
  useKeys([
    { key: 'w 1', does: 'the whole conversation went well', press: () => put('good') },
    { key: 'w 2', does: 'the whole conversation went badly', press: () => put('bad') },
    { key: 'w 0', does: 'take back what you said of the whole conversation', press: () => put(null) },
  ]);
  const button = (said: Answer, words: string, key: string) => (
    <button
      type="button"
      class={answer === said ? 'answer chosen' : 'answer'}
      aria-pressed={answer === said}
      disabled={whyNot !== undefined}
      onClick={() => put(answer === said ? null : said)}
    >
      {words}
      <kbd>{key}</kbd>
    </button>
  );
  return (
    <>
      <div class="answers">
        {button('good', 'Went well', 'w 1')}
        {button('bad', 'Went badly', 'w 2')}
      </div>
      {whyNot !== undefined && <p class="aside">{whyNot}</p>}
      {why !== undefined && (
        <p class="mistake" role="alert">
          {why}
        </p>
      )}
    </>
  );
}

/** The right result, as JSON. */
function Truth({ conversation }: { readonly conversation: ConversationDetail }) {
  const given = conversation.truth === undefined ? '' : JSON.stringify(conversation.truth, undefined, 2);
  const [text, setText] = useState(given);
  const [said, setSaid] = useState<string | undefined>();
  const save = () => {
    const truth = text.trim() === '' ? null : parsed(text);
    if (truth === undefined) setSaid('This is not JSON.');
    else
      send(`/v1/truth/${encodeURIComponent(conversation.conversation_id)}`, truth, setSaid, () =>
        setSaid('Saved. The conversation is evaluated again.'),
      );
  };
  return (
    <details class="truth">
      <summary>{given === '' ? 'Say what would have been right' : 'Correct the ground truth'}</summary>
      <textarea
        rows={6}
        aria-label="Ground truth, as JSON"
        value={text}
        placeholder={'{"participants": ["ana"]}'}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <p>
        <button type="button" onClick={save}>
          Save
        </button>{' '}
        <span role="status">{said ?? ''}</span>
      </p>
    </details>
  );
}

function send(path: string, body: unknown, onProblem: (why: string | undefined) => void, onDone: () => void): void {
  ask<unknown>(path, { method: 'PUT', body })
    .then((reply: Reply<unknown>) => {
      onProblem(reply.is === 'here' ? undefined : reply.why);
      if (reply.is === 'here') onDone();
    })
    .catch((error: unknown) => onProblem(String(error)));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The text is somebody's who is typing: the sentence beside it says enough.
    return undefined;
  }
}
