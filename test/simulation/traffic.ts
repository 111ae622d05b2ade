/**
 * Conversations of an agent that exists only as spans: some good, some that fail in one way or another, all from a
 * seed. Spans come in the order in which an SDK would export them, children before their parents, the root last.
 */
import { randomFrom } from '../random.ts';

export interface TrafficSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: unknown }[];
  readonly status: { readonly code: number; readonly message?: string };
}

export interface TrafficConversation {
  readonly id: string;
  readonly agentVersion: string;
  /** Per turn, its spans in export order. */
  readonly turns: readonly (readonly TrafficSpan[])[];
}

export interface TrafficOptions {
  readonly seed: number;
  readonly conversations: number;
  /** Shares of conversations from 0 to 1. */
  readonly withoutId?: number;
  readonly endMarks?: 'all' | 'multi-turn';
  readonly messageBytes?: readonly [min: number, max: number];
  readonly resultBytes?: readonly [min: number, max: number];
  /** Tool calls of a turn; a turn has two spans for each and two more. */
  readonly calls?: readonly [min: number, max: number];
  readonly turnsMin?: number;
  readonly turnsMax?: number;
}

const START_NS = 1_790_000_000_000_000_000n;
const WORDS =
  'meeting calendar tuesday thursday alice bob carol room review budget plan half past ten available conflict confirmed'.split(
    ' ',
  );

export function* traffic(options: TrafficOptions): Generator<TrafficConversation> {
  const random = randomFrom(options.seed);
  for (let index = 0; index < options.conversations; index += 1) yield conversation(options, index, random);
}

/** An OTLP/JSON export request with these spans. */
export function exportRequest(spans: readonly TrafficSpan[], version: string): string {
  const attributes = [
    { key: 'service.name', value: { stringValue: 'simulated-agent' } },
    { key: 'service.version', value: { stringValue: version } },
    { key: 'deployment.environment.name', value: { stringValue: 'simulation' } },
  ];
  const scopeSpans = [{ scope: { name: 'assay.simulation', version: '1' }, spans }];
  return JSON.stringify({ resourceSpans: [{ resource: { attributes }, scopeSpans }] });
}

function conversation(options: TrafficOptions, index: number, random: () => number): TrafficConversation {
  const id = `conversation-${options.seed}-${index}`;
  const agentVersion = random() < 0.5 ? 'v1' : 'v2';
  const anonymous = random() < (options.withoutId ?? 0);
  const { turnsMin = 1, turnsMax = 3 } = options;
  const turnCount = anonymous ? 1 : turnsMin + Math.floor(random() * (turnsMax - turnsMin + 1));
  const turns: TrafficSpan[][] = [];
  let at = START_NS + BigInt(index) * 60_000_000_000n;
  for (let number = 0; number < turnCount; number += 1) {
    const isLast = number === turnCount - 1;
    const marksEnd = isLast && (options.endMarks === 'all' || (options.endMarks === 'multi-turn' && turnCount > 1));
    turns.push(
      turn({
        id: anonymous ? undefined : id,
        agentVersion,
        at,
        random,
        marksEnd,
        options,
      }),
    );
    at += 10_000_000_000n;
  }
  return { id, agentVersion, turns };
}

function turn(input: {
  readonly id: string | undefined;
  readonly agentVersion: string;
  readonly at: bigint;
  readonly random: () => number;
  readonly marksEnd: boolean;
  readonly options: TrafficOptions;
}): TrafficSpan[] {
  const { random } = input;
  const { messageBytes = [20, 200], resultBytes = [20, 200], calls: callRange = [1, 3] } = input.options;
  const traceId = hex(random, 32);
  const rootId = hex(random, 16);
  const common = input.id === undefined ? [] : [text('gen_ai.conversation.id', input.id)];
  const fault = random();
  const question = words(random, messageBytes);
  const history: object[] = [{ role: 'user', parts: [{ type: 'text', content: question }] }];
  const spans: TrafficSpan[] = [];
  let at = input.at;
  const take = (ms: number) => {
    const from = at;
    at += BigInt(ms) * 1_000_000n;
    return { startTimeUnixNano: String(from), endTimeUnixNano: String(at) };
  };
  const chat = (output: object, finish: string) => {
    spans.push({
      traceId,
      spanId: hex(random, 16),
      parentSpanId: rootId,
      name: 'chat sim-model',
      kind: 3,
      ...take(200 + Math.floor(random() * 800)),
      attributes: [
        ...common,
        text('gen_ai.operation.name', 'chat'),
        text('gen_ai.provider.name', 'simulated'),
        text('gen_ai.request.model', 'sim-model'),
        text('gen_ai.response.model', 'sim-model-1'),
        { key: 'gen_ai.response.finish_reasons', value: { arrayValue: { values: [{ stringValue: finish }] } } },
        { key: 'gen_ai.usage.input_tokens', value: { intValue: String(100 + Math.floor(random() * 900)) } },
        { key: 'gen_ai.usage.output_tokens', value: { intValue: String(10 + Math.floor(random() * 90)) } },
        text('gen_ai.input.messages', JSON.stringify(history)),
        text('gen_ai.output.messages', JSON.stringify([{ ...output, finish_reason: finish }])),
      ],
      status: { code: 0 },
    });
    history.push(output);
  };
  const calls = callRange[0] + Math.floor(random() * (callRange[1] - callRange[0] + 1));
  for (let call = 0; call < calls; call += 1) {
    const callId = `call_${hex(random, 8)}`;
    const args = { day: WORDS[Math.floor(random() * WORDS.length)] ?? '', number: fault < 0.1 ? 1 : call };
    chat(
      { role: 'assistant', parts: [{ type: 'tool_call', id: callId, name: 'check_availability', arguments: args }] },
      'tool_call',
    );
    const failed = fault >= 0.1 && fault < 0.2;
    const result = { free: words(random, resultBytes) };
    spans.push({
      traceId,
      spanId: hex(random, 16),
      parentSpanId: rootId,
      name: 'execute_tool check_availability',
      kind: 1,
      ...take(50 + Math.floor(random() * 100)),
      attributes: [
        ...common,
        text('gen_ai.operation.name', 'execute_tool'),
        text('gen_ai.tool.name', 'check_availability'),
        text('gen_ai.tool.call.id', callId),
        text('gen_ai.tool.call.arguments', JSON.stringify(args)),
        ...(failed ? [text('error.type', 'Timeout')] : [text('gen_ai.tool.call.result', JSON.stringify(result))]),
      ],
      status: failed ? { code: 2, message: 'calendar did not answer' } : { code: 0 },
    });
    history.push({
      role: 'tool',
      parts: [{ type: 'tool_call_response', id: callId, response: failed ? 'error' : result }],
    });
  }
  const answer = fault >= 0.2 && fault < 0.3 ? '' : words(random, messageBytes);
  chat(
    { role: 'assistant', parts: [{ type: 'text', content: answer }] },
    fault >= 0.3 && fault < 0.35 ? 'length' : 'stop',
  );
  spans.push({
    traceId,
    spanId: rootId,
    name: 'invoke_agent simulated-agent',
    kind: 1,
    startTimeUnixNano: String(input.at - 1_000_000n),
    endTimeUnixNano: String(at + 1_000_000n),
    attributes: [
      ...common,
      text('gen_ai.operation.name', 'invoke_agent'),
      text('gen_ai.agent.name', 'simulated-agent'),
      text('gen_ai.agent.version', input.agentVersion),
      ...(input.marksEnd ? [{ key: 'assay.conversation.end', value: { boolValue: true } }] : []),
    ],
    status: { code: 0 },
  });
  return spans;
}

function text(key: string, value: string) {
  return { key, value: { stringValue: value } };
}

function words(random: () => number, [min, max]: readonly [number, number]): string {
  const length = min + Math.floor(random() * (max - min));
  let line = '';
  while (line.length < length) line += `${WORDS[Math.floor(random() * WORDS.length)]} `;
  return line.trim();
}

function hex(random: () => number, digits: number): string {
  let out = '';
  while (out.length < digits)
    out += Math.floor(random() * 0x100000000)
      .toString(16)
      .padStart(8, '0');
  return out.slice(0, digits);
}
