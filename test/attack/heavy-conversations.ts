/** Conversations that cost most to read: many tool calls, many turns, long texts. */
import { createHash, randomBytes } from 'node:crypto';

export const HEAVY = { calls: 'heavy-calls', turns: 'heavy-turns', texts: 'heavy-texts' } as const;

/** Ids of the turn with the longest texts, and of its longest step. */
export const LONGEST = (() => {
  const { traceId, root } = idsOf(HEAVY.texts, 0);
  return { turn: traceId, step: `${traceId}:${root}` };
})();

/** A turn takes 5,000 spans. */
const CALLS = 4_900;
const TURNS = 200;
const TEXT = 'The customer asked for another time, and the assistant looked it up. '.repeat(14_000);

export function heavyConversations(): readonly string[] {
  const turns = Array.from({ length: TURNS }, (_none, turn) =>
    requestOf({ conversation: HEAVY.turns, turn, asked: `Question ${turn}?`, calls: 3, isLast: turn === TURNS - 1 }),
  );
  return [
    requestOf({ conversation: HEAVY.calls, turn: 0, asked: 'Do all of it.', calls: CALLS, isLast: true }),
    ...turns,
    requestOf({ conversation: HEAVY.texts, turn: 0, asked: TEXT, calls: 1, isLast: true }),
  ];
}

interface HeavyTurn {
  readonly conversation: string;
  readonly turn: number;
  readonly asked: string;
  readonly calls: number;
  readonly isLast: boolean;
}

function idsOf(conversation: string, turn: number): { readonly traceId: string; readonly root: string } {
  const hash = createHash('sha256').update(`${conversation} ${turn}`).digest('hex');
  return { traceId: hash.slice(0, 32), root: hash.slice(32, 48) };
}

function requestOf({ conversation, turn, asked, calls, isLast }: HeavyTurn): string {
  const { traceId, root } = idsOf(conversation, turn);
  const now = Date.now();
  const span = (name: string, attributes: readonly object[], spanId: string, parentSpanId?: string) => ({
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name,
    startTimeUnixNano: `${now - 1000}000000`,
    endTimeUnixNano: `${now}000000`,
    attributes,
  });
  const spans = [
    ...Array.from({ length: calls }, (_none, call) =>
      span(
        `execute_tool look_up_${call % 50}`,
        [
          text('gen_ai.operation.name', 'execute_tool'),
          text('gen_ai.tool.name', `look_up_${call % 50}`),
          text('gen_ai.tool.call.arguments', JSON.stringify({ order: call })),
          text('gen_ai.tool.call.result', JSON.stringify({ price: call, currency: 'EUR' })),
        ],
        randomBytes(8).toString('hex'),
        root,
      ),
    ),
    span(
      'invoke_agent helper',
      [
        text('gen_ai.operation.name', 'invoke_agent'),
        text('gen_ai.agent.name', 'helper'),
        text('gen_ai.conversation.id', conversation),
        text('gen_ai.input.messages', messages('user', asked)),
        text('gen_ai.output.messages', messages('assistant', `Order 7 costs 7 EUR. ${asked}`)),
        ...(isLast ? [{ key: 'assay.conversation.end', value: { boolValue: true } }] : []),
      ],
      root,
    ),
  ];
  const resource = { attributes: [text('service.name', 'helper'), text('service.version', 'v1')] };
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });
}

function text(key: string, stringValue: string): object {
  return { key, value: { stringValue } };
}

function messages(role: string, content: string): string {
  return JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
}
