/** The head of a conversation: how it ended, what came of it in the world, its figures, its place in the list, and how to take it elsewhere. */
import type { ConversationDetail } from '../../api/conversation-detail.ts';
import type { ListedEvaluation } from '../../api/conversation-list.ts';
import { Readings } from './readings.tsx';
import { keptToken } from '../api/token.ts';
import { worstOf } from '../../model/worst-first.ts';
import { addressOf } from '../shell/place.ts';
import { SomeFirst } from '../shell/some-first.tsx';
import { CameOut } from '../text/came-out.tsx';
import { Copy, CopyAnswer } from '../text/copy.tsx';
import { counted, countText, dollars, durationText, percent, scoreText } from '../text/format.ts';
import { OutcomeMark } from '../text/outcome.tsx';
import { quotedForShell } from '../text/quoted-for-shell.ts';
import { SpanText } from '../text/span-text.tsx';
import { Time } from '../text/time.tsx';

interface HeadProps {
  readonly id: string;
  /** Filters of the list, and what is chosen in the conversation. */
  readonly query: URLSearchParams;
  readonly conversation: ConversationDetail | undefined;
  readonly row: { readonly at: number; readonly of: number; readonly hasMore: boolean } | undefined;
  readonly onClose: () => void;
  readonly onStep: (by: number) => void;
}

export function ConversationHead({ id, query, conversation, row, onClose, onStep }: HeadProps) {
  const asked = conversation?.turn_list.find((turn) => turn.asked.trim() !== '')?.asked.trim() ?? '';
  return (
    <header class="detail-head">
      <div class="head-moves">
        <button type="button" class="quiet" onClick={onClose} title="Close (esc)">
          Close
        </button>
        {row !== undefined && (
          <button type="button" class="quiet" disabled={row.at === 0} onClick={() => onStep(-1)} title="Previous (k)">
            ← Previous
          </button>
        )}
        {row !== undefined && (
          <span class="position">{`${countText(row.at + 1)} of ${countText(row.of)}${row.hasMore ? '+' : ''}`}</span>
        )}
        {row !== undefined && (
          <button
            type="button"
            class="quiet"
            disabled={row.at + 1 >= row.of}
            onClick={() => onStep(1)}
            title="Next (j)"
          >
            Next →
          </button>
        )}
      </div>
      <div class="detail-title">
        <h2>
          <SpanText text={asked === '' ? id : asked} charactersMax={160} />
        </h2>
        {asked !== '' && <SpanText in="p" class="conversation-id aside" text={id} charactersMax={400} />}
      </div>
      {conversation !== undefined && <Summary conversation={conversation} />}
      {conversation !== undefined && <Outcomes outcomes={conversation.outcomes} />}
      {conversation !== undefined && <Readings conversation={conversation} query={query} />}
      <Elsewhere id={id} query={query} conversation={conversation} />
    </header>
  );
}

/** Spans that name no environment. */
const NO_NAME = 'unknown';

function Summary({ conversation }: { readonly conversation: ConversationDetail }) {
  const worst = worstOf(conversation.evaluations);
  const facts = [
    worst?.score === undefined || worst.score === null ? 'no score' : `score ${scoreText(worst.score)}`,
    ...(worst?.decided_share === undefined ? [] : [`decided ${percent(worst.decided_share, 0)}`]),
    ...(worst?.about === 'form' ? ['form only'] : worst?.about === 'rules' ? ['rules only'] : []),
    ...(conversation.revision > 1 ? [`scored ${conversation.revision} times`] : []),
    ...(conversation.duration_ms === undefined ? [] : [durationText(conversation.duration_ms)]),
    ...(conversation.tokens === undefined ? [] : [counted(conversation.tokens, 'token')]),
    ...costFacts(conversation.cost),
  ];
  return (
    <p class="head-facts">
      <OutcomeMark outcome={worst?.outcome ?? 'unscored'} because={worst?.because} />
      {facts.map((fact) => (
        <SpanText key={fact} in="span" text={fact} />
      ))}
      <SpanText in="span" text={`${conversation.agent} ${conversation.agent_version}`} />
      {conversation.environment !== NO_NAME && <SpanText in="span" text={conversation.environment} />}
      <span>
        <Time at={conversation.began_at} />
        {conversation.clock_wrong === true && ' (the clock of its spans is wrong: this is when it arrived)'}
      </span>
    </p>
  );
}

const OUTCOMES_SHOWN = 5;

/** The score says how it looked, and these how it was. */
function Outcomes({ outcomes }: Pick<ConversationDetail, 'outcomes'>) {
  if (outcomes.length === 0) return null;
  return (
    <section class="head-outcomes" aria-label="What came of it">
      {'Came out '}
      <SomeFirst of={outcomes} atATime={OUTCOMES_SHOWN}>
        {(shown) => (
          <ul class="head-facts">
            {shown.map(({ name, good, value }) => (
              <li key={name}>
                <CameOut isGood={good} />
                {': '}
                <SpanText text={value === undefined ? name : `${name} ${value}`} />
              </li>
            ))}
          </ul>
        )}
      </SomeFirst>
    </section>
  );
}

/** An amount is never shown without its source, and tokens without a price never without being named. */
function costFacts({ usd, source, models_without_price: without }: ConversationDetail['cost']): string[] {
  if (usd === undefined && without.length === 0) return [];
  const named = without.map((model) => (model === '' ? 'a call without a model' : model.slice(0, 80)));
  const lacks =
    named.length === 0 ? '' : `: no price for ${named.slice(0, 3).join(', ')}${named.length > 3 ? ' …' : ''}`;
  return [usd === undefined ? `cost not known${lacks}` : `${dollars(usd)} (${source}${lacks})`];
}

function Elsewhere({ id, query, conversation }: Pick<HeadProps, 'id' | 'query' | 'conversation'>) {
  const place = encodeURIComponent(id);
  const address = `/conversations/${place}`;
  const worst = worstOf(conversation?.evaluations ?? []);
  return (
    <div class="head-actions">
      <Copy label="Copy link" text={new URL(addressOf('conversations', query, id), location.href).href} />
      <Copy label="Copy command" text={`npx assay explain ${quotedForShell(id)} --url ${location.origin}`} />
      {worst !== undefined && (
        <CopyAnswer
          label="Copy test case"
          title={`A test of ${worst.suite} with these verdicts, for assay suite test`}
          path={testAddress(id, worst)}
        />
      )}
      {conversation !== undefined && (
        <CopyAnswer
          label="Copy dataset case"
          title="Its user's part as a case for assay run: docs/score/datasets.md"
          path={`/api/v1/case/${place}`}
        />
      )}
      {/* A link sends no token. */}
      {keptToken() === undefined && worst !== undefined && (
        <a
          class="button quiet"
          href={`/api/v1/golden/${place}`}
          download="golden.yaml"
          title="A draft, for the folder of golden traces of a suite"
        >
          Golden trace
        </a>
      )}
      {keptToken() === undefined && (
        <a class="button quiet" href={`/api/v1${address}`} target="_blank" rel="noopener">
          JSON
        </a>
      )}
    </div>
  );
}

function testAddress(id: string, { suite, turn_id: turn }: Pick<ListedEvaluation, 'suite' | 'turn_id'>): string {
  const query = new URLSearchParams({ suite, ...(turn === undefined ? {} : { turn }) });
  return `/api/v1/test/${encodeURIComponent(id)}?${query.toString()}`;
}
