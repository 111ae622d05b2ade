/** Criteria that tell the kinds of failure, with their certificates. A search takes seconds, so a person asks for it. */
import { useState } from 'preact/hooks';
import type { LearnedCriteria } from '../../api/learned.ts';
import { useReply } from '../api/use-reply.ts';
import { Here } from '../shell/here.tsx';
import { useKeys } from '../shell/keys.ts';
import { Command } from '../text/command.tsx';
import { counted } from '../text/format.ts';
import { quotedForShell } from '../text/quoted-for-shell.ts';
import { SpanText } from '../text/span-text.tsx';
import { Conversation } from './kind-card.tsx';

type Kind = LearnedCriteria['kinds'][number];
type Criterion = Kind['criteria'][number];

export function LearnedChecks({ query }: { readonly query: URLSearchParams }) {
  const [asked, setAsked] = useState('');
  const look = () => setAsked(query.toString());
  useKeys([{ key: 'l', does: 'look for checks that tell the kinds', press: look }]);
  return (
    <section class="learned" aria-label="Checks">
      <h2>Checks that tell them</h2>
      {asked === query.toString() ? (
        <Searched query={query} />
      ) : (
        <p>
          <button type="button" onClick={look}>
            Look for checks<kbd>l</kbd>
          </button>
          <span class="aside">{' Tries expressions on the conversations that people read, and takes seconds.'}</span>
        </p>
      )}
    </section>
  );
}

function Searched({ query }: { readonly query: URLSearchParams }) {
  const since = query.get('since') ?? '7d';
  const found = useReply<LearnedCriteria>('/api/v1/criteria/learned', { query });
  return (
    <Here of={found} otherwise={(why) => <p class="mistake">{why}</p>}>
      {({ agent, says, kinds }) => (
        <>
          <p role="status">{says}</p>
          {kinds.map((kind) => (
            <OfKind key={kind.kind ?? ''} of={kind} />
          ))}
          {kinds.some(({ criteria }) => criteria.length > 0) && (
            <Command
              text={`npx assay learn --agent ${quotedForShell(agent)} --since ${quotedForShell(since)} --out learned.yaml`}
            />
          )}
        </>
      )}
    </Here>
  );
}

function OfKind({ of: { kind, readings, criteria } }: { readonly of: Kind }) {
  return (
    <section class="learned-kind">
      <h3>
        {kind === undefined ? 'Other failures that the suites call fine' : <SpanText text={kind} />}
        <span class="aside">{` ${counted(readings, 'reading')}`}</span>
      </h3>
      {criteria.length === 0 && <p class="aside">Nothing was found that tells them from good conversations.</p>}
      <ul>
        {criteria.map((criterion) => (
          <OfCriterion key={criterion.name} of={criterion} />
        ))}
      </ul>
    </section>
  );
}

function OfCriterion({ of: { question, when, check, certificate, conversations } }: { readonly of: Criterion }) {
  return (
    <li>
      <SpanText in="b" text={question} charactersMax={300} />
      <p class={certificate?.certified === true ? 'certificate' : 'limits'}>
        {certificate?.says ?? 'Not measured: too few readings find it again.'}
      </p>
      <details>
        <summary>As a criterion, and where it fails</summary>
        {when !== undefined && <SpanText in="p" class="expression" text={`when: ${when}`} charactersMax={1000} />}
        <SpanText in="p" class="expression" text={`check: ${check}`} charactersMax={1000} />
        <ul>
          {conversations.map((id) => (
            <li key={id}>
              <Conversation of={{ conversation_id: id }} />
            </li>
          ))}
        </ul>
      </details>
    </li>
  );
}
