/** The attribute and the rule that gave each field of a step; asked for when somebody opens it. */
import { useState } from 'preact/hooks';
import type { FieldSourceJson, StepSources } from '../../api/step-sources.ts';
import { useReply } from '../api/use-reply.ts';
import { Here } from '../shell/here.tsx';
import { SpanText } from '../text/span-text.tsx';
import { Table } from '../text/table.tsx';

interface WhereFromProps {
  readonly conversation: string;
  readonly step: string;
}

export function WhereFrom({ conversation, step }: WhereFromProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="where-from" onToggle={(event: Event) => setOpen(isOpened(event.currentTarget))}>
      <summary>where from</summary>
      {isOpen && <Sources conversation={conversation} step={step} />}
    </details>
  );
}

function isOpened(target: EventTarget | null): boolean {
  return target instanceof HTMLDetailsElement && target.open;
}

function Sources({ conversation, step }: WhereFromProps) {
  const asked = useReply<StepSources>(`/api/v1/sources/${encodeURIComponent(conversation)}`, {
    query: new URLSearchParams({ of: step }),
  });
  return <Here of={asked}>{(sources) => <Fields sources={sources} />}</Here>;
}

function Fields({ sources: { fields, redacted_attributes: redacted } }: { readonly sources: StepSources }) {
  const elsewhere = redacted.filter(({ attribute }) => !fields.some(({ rule }) => rule === attribute));
  return (
    <div>
      <Table heads={{ Field: '', Value: '', 'Read from': '' }}>{fields.map(row)}</Table>
      {elsewhere.length > 0 && (
        <p class="aside">
          {'Redacted when it came, and read by no rule: '}
          {elsewhere.flatMap(({ attribute, redacted: patterns }, index) => [
            index === 0 ? '' : ', ',
            <SpanText key={attribute} in="code" text={attribute} />,
            ` (${patterns.join(', ')})`,
          ])}
          .
        </p>
      )}
    </div>
  );
}

function row({ field, value, state, rule, dialect, redacted, note }: FieldSourceJson) {
  const remarks = [
    ...(redacted === undefined ? [] : [`redacted: ${redacted.join(', ')}`]),
    ...(state === 'redacted' && redacted === undefined ? ['withheld by the agent'] : []),
    ...(state === 'truncated' ? ['cut by the agent'] : []),
  ];
  return (
    <tr key={field}>
      <th scope="row">{FIELDS[field] ?? field}</th>
      <td class="source-value">
        <SpanText text={value} charactersMax={80} />
      </td>
      <td>
        {rule !== undefined && <SpanText in="code" text={rule} />}
        {dialect !== undefined && <span class="aside">{` ${dialect}`}</span>}
        {rule === undefined && <span class="aside">{note ?? 'not captured'}</span>}
        {remarks.length > 0 && <span class="limits">{` ${remarks.join(', ')}`}</span>}
      </td>
    </tr>
  );
}

/** Words for the names that rules have. */
const FIELDS: Readonly<Record<string, string>> = {
  name: 'Name',
  kind: 'Kind',
  agentName: 'Agent',
  agentId: 'Agent id',
  agentVersion: 'Agent version',
  conversationId: 'Conversation',
  userId: 'User',
  toolName: 'Tool',
  toolCallId: 'Call id',
  toolArgs: 'Arguments',
  toolResult: 'Result',
  input: 'Input',
  output: 'Output',
  messagesIn: 'Messages to the model',
  messagesOut: 'Messages of the model',
  systemInstructions: 'Instructions',
  requestModel: 'Model asked for',
  responseModel: 'Model that answered',
  provider: 'Provider',
  responseId: 'Response id',
  previousResponseId: 'Response before',
  finishReasons: 'Finish reason',
  inputTokens: 'Tokens in',
  outputTokens: 'Tokens out',
  cacheReadTokens: 'Tokens from the cache',
  cacheWriteTokens: 'Tokens to the cache',
  reasoningTokens: 'Tokens of reasoning',
  costUsd: 'Cost',
  error: 'Error',
  errorType: 'Type of error',
  errorMessage: 'Message of the error',
  environment: 'Environment',
  serviceName: 'Service',
  statusIsCopied: 'Status',
  ended: 'End mark',
};
