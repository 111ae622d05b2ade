/** The attribute and the rule that gave each field of a step; asked for when somebody opens it. */
import { h, type JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { FieldSourceJson, StepSources } from '../../api/step-sources.ts';
import { useReply } from '../api/use-reply.ts';
import { Problem } from '../shell/problem.ts';
import { SpanText } from '../text/span-text.ts';

interface WhereFromProps {
  readonly conversation: string;
  readonly step: string;
}

export function WhereFrom({ conversation, step }: WhereFromProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return h(
    'details',
    { class: 'where-from', onToggle: (event: Event) => setOpen(isOpened(event.currentTarget)) },
    h('summary', null, 'where from'),
    isOpen && h(Sources, { conversation, step }),
  );
}

function isOpened(target: EventTarget | null): boolean {
  return target instanceof HTMLDetailsElement && target.open;
}

function Sources({ conversation, step }: WhereFromProps): JSX.Element {
  const [query] = useState(() => new URLSearchParams({ of: step }));
  const { reply, again } = useReply<StepSources>(`/api/v1/sources/${encodeURIComponent(conversation)}`, query);
  if (reply === undefined) return h('p', { class: 'loading', role: 'status' }, 'Loading …');
  if (reply.is !== 'here') return h(Problem, { of: reply, again });
  const { fields, redacted_attributes: redacted } = reply.value;
  const elsewhere = redacted.filter(({ attribute }) => !fields.some(({ rule }) => rule === attribute));
  return h(
    'div',
    null,
    h(
      'table',
      null,
      h('thead', null, h('tr', null, ...['Field', 'Value', 'Read from'].map((head) => h('th', { key: head }, head)))),
      h('tbody', null, ...fields.map(row)),
    ),
    elsewhere.length > 0 &&
      h(
        'p',
        { class: 'aside' },
        'Redacted when it came, and read by no rule: ',
        ...elsewhere.flatMap(({ attribute, redacted: patterns }, index) => [
          index === 0 ? '' : ', ',
          h('code', { key: attribute }, h(SpanText, { text: attribute })),
          ` (${patterns.join(', ')})`,
        ]),
        '.',
      ),
  );
}

function row({ field, value, state, rule, dialect, redacted, note }: FieldSourceJson): JSX.Element {
  const remarks = [
    ...(redacted === undefined ? [] : [`redacted: ${redacted.join(', ')}`]),
    ...(state === 'redacted' && redacted === undefined ? ['withheld by the agent'] : []),
    ...(state === 'truncated' ? ['cut by the agent'] : []),
  ];
  return h(
    'tr',
    { key: field },
    h('th', { scope: 'row' }, FIELDS[field] ?? field),
    h('td', { class: 'source-value' }, h(SpanText, { text: value, charactersMax: 80 })),
    h(
      'td',
      null,
      rule !== undefined && h('code', null, h(SpanText, { text: rule })),
      dialect !== undefined && h('span', { class: 'aside' }, ` ${dialect}`),
      rule === undefined && h('span', { class: 'aside' }, note ?? 'not captured'),
      remarks.length > 0 && h('span', { class: 'limits' }, ` ${remarks.join(', ')}`),
    ),
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
