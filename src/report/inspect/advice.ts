/** Finds what is missing in a conversation's spans, what that costs, and what to change. */
import { counted } from '../../model/counted.ts';
import type { Conversation } from '../../model/conversation.ts';
import type { Step } from '../../model/step.ts';
import { DOUBT_WORDS, doubtText } from '../../model/doubts.ts';
import { type Ledger, SHIPPED_LEDGER } from '../../model/exporters.ts';
import { DOUBTS, type Turn, type TurnFlag } from '../../model/turn.ts';
import { captureSwitchOf } from './capture-switches.ts';

export interface Advice {
  /** The missing part, and in how much of the conversation. */
  readonly what: string;
  readonly remedy: string;
}

export function adviceFor(conversation: Conversation, exporters: Ledger = SHIPPED_LEDGER): readonly Advice[] {
  return [
    ...aboutExporters(conversation, exporters),
    ...aboutContent(conversation),
    ...aboutIds(conversation),
    ...aboutTokens(conversation),
    ...DOUBTS.flatMap((doubt) => {
      const turns = conversation.turns.filter(({ doubts }) => doubts.includes(doubt)).length;
      const what = doubtText(doubt, share(turns, conversation));
      return turns === 0 ? [] : [{ what, remedy: DOUBT_WORDS[doubt].remedy }];
    }),
    ...FLAG_ADVICE.flatMap(([flag, what, remedy]) => {
      const turns = conversation.turns.filter(({ flags }) => flags.includes(flag)).length;
      return turns === 0 ? [] : [{ what: `${what} (${share(turns, conversation)})`, remedy }];
    }),
  ];
}

/** Where a tool call is there, nobody asks whether one would have been sent. */
function aboutExporters({ turns }: Conversation, exporters: Ledger): readonly Advice[] {
  const without = turns.filter(({ toolCalls }) => toolCalls.length === 0);
  const scopes = without.flatMap(({ steps }) =>
    steps.filter(({ kind }) => kind !== 'other').map((step) => step.scopeName),
  );
  if (exporters.sends(new Set(scopes), 'tools') !== 'unknown') return [];
  const isSeen = without.length < turns.length;
  return [...new Set(scopes)]
    .filter((scope) => !exporters.knows(scope))
    .map((scope) => ({
      what: `whether the scope ${scope === '' ? 'without a name' : scope} sends tool calls: without one, criteria about tools are not applicable`,
      remedy: `${isSeen ? 'other turns have some, so' : 'if you know,'} name it in assay.yaml: exporters: { known: [{ scope: ${JSON.stringify(scope)}, lacks: [] }] }`,
    }));
}

function share(turns: number, { turns: all }: Conversation): string {
  return `${turns} of ${counted(all.length, 'turn')}`;
}

/** Advice for each instrumentation, because each has a switch of its own. */
function aboutContent({ turns }: Conversation): readonly Advice[] {
  const lacking = new Map<string, { model: number; tool: number }>();
  for (const step of turns.flatMap(({ steps }) => steps)) {
    if (!step.flags.includes('content-missing') || !(step.kind === 'llm' || step.kind === 'tool')) continue;
    const found = lacking.get(step.scopeName) ?? { model: 0, tool: 0 };
    lacking.set(step.scopeName, found);
    if (step.kind === 'llm') found.model += 1;
    else found.tool += 1;
  }
  return [...lacking].map(([scope, { model, tool }]) => {
    const { framework, remedy } = captureSwitchOf(scope);
    const spans = [
      ...(model > 0 ? [counted(model, 'model call')] : []),
      ...(tool > 0 ? [counted(tool, 'tool call')] : []),
    ];
    return {
      what: `the content of ${spans.join(' and ')} (scope ${scope === '' ? 'without a name' : scope}): criteria that read it are not applicable`,
      remedy: `${framework}: ${remedy}`,
    };
  });
}

function aboutIds(conversation: Conversation): readonly Advice[] {
  const advice: Advice[] = [];
  if (conversation.idSource === 'synthetic') {
    advice.push({
      what: 'a conversation id: its turns are only found together where one refers to another',
      remedy:
        'set gen_ai.conversation.id or session.id on the spans, or name the attribute that holds it under conversation.id_keys in assay.yaml',
    });
    if (isShownEarlierTurn(conversation.turns[0])) {
      advice.push({
        what: 'the turns before its first one, which its model was shown: they are conversations of their own',
        remedy: 'send an id of the conversation with each call: without one, these are scored apart',
      });
    }
  }
  if (conversation.agent.version === undefined) {
    advice.push({
      what: 'the agent’s version: releases can’t be told apart',
      remedy: 'set gen_ai.agent.version on the agent’s span, or service.version on the resource',
    });
  }
  return advice;
}

/** An exchange with a tool stands before the question; examples in a prompt are seldom of tools. */
function isShownEarlierTurn(turn: Turn | undefined): boolean {
  const first = turn?.steps.find(({ kind, messagesIn }) => kind === 'llm' && messagesIn.length > 2);
  if (first === undefined) return false;
  const asked = first.messagesIn.findLastIndex(({ role }) => role === 'user');
  const before = first.messagesIn.slice(0, Math.max(0, asked));
  return before.some(({ parts }) => parts.some(({ type }) => type === 'tool_result'));
}

function aboutTokens(conversation: Conversation): readonly Advice[] {
  const calls = (turn: Turn): readonly Step[] => turn.steps.filter(({ kind }) => kind === 'llm');
  const without = conversation.turns.filter(
    (turn) => turn.usage === undefined && calls(turn).some(({ error }) => error === undefined),
  ).length;
  if (without === 0) return [];
  return [
    {
      what: `the number of tokens (${share(without, conversation)})`,
      remedy: 'where answers are streamed, ask the provider for usage (OpenAI: stream_options.include_usage)',
    },
  ];
}

const FLAG_ADVICE: readonly (readonly [TurnFlag, string, string])[] = [
  [
    'root-missing',
    'the turn’s own span: it ended without being exported',
    'end and flush spans when the process stops (forceFlush, shutdown), also when a run throws',
  ],
  [
    'partial-trace',
    'spans that others name as their parents',
    'send the whole trace here: check sampling, filters of a Collector, and processes that export elsewhere',
  ],
  [
    'truncated-json',
    'the end of long values, which were cut',
    'raise or unset OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT and OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT',
  ],
  [
    'attributes-dropped',
    'attributes beyond the limit for one span',
    'raise OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT (128 by default): messages that are written as attributes fill it soon',
  ],
  [
    'redacted',
    'content that was masked before it was sent',
    'nothing, if that is wanted: criteria that need it are not applicable',
  ],
  ['negative-duration', 'plausible times: a span ends before it starts', 'synchronise the clocks of the hosts'],
];
