/**
 * Traffic of healthy agents, in five dialects: 4 % of the turns fail something. An agent has one dialect, and exports as
 * plain SDKs do: ten to fifty spans a request, of one service. `test/simulation/traffic.ts` is the hard load beside it,
 * of which a quarter of the turns fails.
 */
import { randomFrom } from '../test/random.ts';
import { exportRequest, type TrafficSpan } from '../test/simulation/traffic.ts';

type Attribute = TrafficSpan['attributes'][number];

interface PlainCall {
  readonly id: string;
  readonly name: string;
  readonly args: string;
  readonly result: string;
  readonly failed: boolean;
}

/** A request to a model: what it was given, and what it gave. */
interface PlainModelCall {
  readonly question: string;
  readonly before: readonly PlainCall[];
  /** The call that it asks for; undefined for the answer. */
  readonly asks: PlainCall | undefined;
  readonly answer: string;
  readonly finish: string;
  readonly tokensIn: number;
  readonly tokensOut: number;
}

interface PlainTurn {
  readonly conversation: string;
  readonly question: string;
  readonly answer: string;
}

/** How a dialect writes a turn, a call of a model and a call of a tool. */
interface PlainDialect {
  readonly name: string;
  readonly turn: (turn: PlainTurn) => Written;
  readonly model: (turn: PlainTurn, call: PlainModelCall) => Written;
  readonly tool: (turn: PlainTurn, call: PlainCall) => Written;
}

interface Written {
  readonly name: string;
  readonly attributes: readonly Attribute[];
}

const MODEL = 'gpt-4.1-mini';
const FAILING_SHARE = 0.04;
const SPANS_PER_REQUEST = [10, 50] as const;
const START_NS = 1_790_000_000_000_000_000n;

const text = (key: string, value: string): Attribute => ({ key, value: { stringValue: value } });
const whole = (key: string, value: number): Attribute => ({ key, value: { intValue: String(value) } });
const asked = ({ id, name, args }: PlainCall) => ({
  type: 'tool_call',
  id,
  name,
  arguments: JSON.parse(args) as unknown,
});

const genAi: PlainDialect = {
  name: 'gen_ai',
  turn: ({ conversation }) => ({
    name: 'invoke_agent planner',
    attributes: [
      text('gen_ai.operation.name', 'invoke_agent'),
      text('gen_ai.agent.name', 'planner'),
      text('gen_ai.conversation.id', conversation),
    ],
  }),
  model: ({ conversation }, call) => ({
    name: `chat ${MODEL}`,
    attributes: [
      text('gen_ai.operation.name', 'chat'),
      text('gen_ai.conversation.id', conversation),
      text('gen_ai.request.model', MODEL),
      { key: 'gen_ai.response.finish_reasons', value: { arrayValue: { values: [{ stringValue: call.finish }] } } },
      whole('gen_ai.usage.input_tokens', call.tokensIn),
      whole('gen_ai.usage.output_tokens', call.tokensOut),
      text(
        'gen_ai.input.messages',
        JSON.stringify([
          { role: 'user', parts: [{ type: 'text', content: call.question }] },
          ...call.before.flatMap((one) => [
            { role: 'assistant', parts: [asked(one)] },
            { role: 'tool', parts: [{ type: 'tool_call_response', id: one.id, response: one.result }] },
          ]),
        ]),
      ),
      text(
        'gen_ai.output.messages',
        JSON.stringify([
          {
            role: 'assistant',
            parts: [call.asks === undefined ? { type: 'text', content: call.answer } : asked(call.asks)],
            finish_reason: call.finish,
          },
        ]),
      ),
    ],
  }),
  tool: ({ conversation }, { id, name, args, result, failed }) => ({
    name: `execute_tool ${name}`,
    attributes: [
      text('gen_ai.operation.name', 'execute_tool'),
      text('gen_ai.conversation.id', conversation),
      text('gen_ai.tool.name', name),
      text('gen_ai.tool.call.id', id),
      text('gen_ai.tool.call.arguments', args),
      failed ? text('error.type', 'Timeout') : text('gen_ai.tool.call.result', result),
    ],
  }),
};

const openInference: PlainDialect = {
  name: 'openinference',
  turn: ({ conversation, question, answer }) => ({
    name: 'agent',
    attributes: [
      text('openinference.span.kind', 'AGENT'),
      text('session.id', conversation),
      text('input.value', question),
      text('output.value', answer),
    ],
  }),
  model: ({ conversation }, call) => {
    const messages = 'llm.input_messages';
    const output = 'llm.output_messages.0.message';
    return {
      name: 'ChatCompletion',
      attributes: [
        text('openinference.span.kind', 'LLM'),
        text('session.id', conversation),
        text('llm.model_name', MODEL),
        text('llm.finish_reason', call.finish),
        whole('llm.token_count.prompt', call.tokensIn),
        whole('llm.token_count.completion', call.tokensOut),
        text(`${messages}.0.message.role`, 'user'),
        text(`${messages}.0.message.content`, call.question),
        ...call.before.flatMap((one, index) => [
          text(`${messages}.${2 * index + 1}.message.role`, 'assistant'),
          ...toolCallOf(`${messages}.${2 * index + 1}.message`, one),
          text(`${messages}.${2 * index + 2}.message.role`, 'tool'),
          text(`${messages}.${2 * index + 2}.message.tool_call_id`, one.id),
          text(`${messages}.${2 * index + 2}.message.content`, one.result),
        ]),
        text(`${output}.role`, 'assistant'),
        ...(call.asks === undefined ? [text(`${output}.content`, call.answer)] : toolCallOf(output, call.asks)),
      ],
    };
  },
  tool: ({ conversation }, { id, name, args, result, failed }) => ({
    name,
    attributes: [
      text('openinference.span.kind', 'TOOL'),
      text('session.id', conversation),
      text('tool.name', name),
      text('tool_call.id', id),
      text('input.value', args),
      ...(failed ? [] : [text('output.value', result)]),
    ],
  }),
};

function toolCallOf(message: string, { id, name, args }: PlainCall): readonly Attribute[] {
  const call = `${message}.tool_calls.0.tool_call`;
  return [text(`${call}.id`, id), text(`${call}.function.name`, name), text(`${call}.function.arguments`, args)];
}

const traceloop: PlainDialect = {
  name: 'traceloop',
  turn: ({ conversation, question, answer }) => ({
    name: 'planner.agent',
    attributes: [
      text('traceloop.span.kind', 'agent'),
      text('traceloop.entity.name', 'planner'),
      text('traceloop.association.properties.session_id', conversation),
      text('traceloop.entity.input', JSON.stringify({ args: [question], kwargs: {} })),
      text('traceloop.entity.output', JSON.stringify(answer)),
    ],
  }),
  model: ({ conversation }, call) => ({
    name: 'openai.chat',
    attributes: [
      text('llm.request.type', 'chat'),
      text('traceloop.association.properties.session_id', conversation),
      text('gen_ai.request.model', MODEL),
      whole('gen_ai.usage.prompt_tokens', call.tokensIn),
      whole('gen_ai.usage.completion_tokens', call.tokensOut),
      text('gen_ai.prompt.0.role', 'user'),
      text('gen_ai.prompt.0.content', call.question),
      ...call.before.flatMap((one, index) => [
        text(`gen_ai.prompt.${2 * index + 1}.role`, 'assistant'),
        ...flatCallOf(`gen_ai.prompt.${2 * index + 1}`, one),
        text(`gen_ai.prompt.${2 * index + 2}.role`, 'tool'),
        text(`gen_ai.prompt.${2 * index + 2}.tool_call_id`, one.id),
        text(`gen_ai.prompt.${2 * index + 2}.content`, one.result),
      ]),
      text('gen_ai.completion.0.role', 'assistant'),
      text('gen_ai.completion.0.finish_reason', call.finish),
      ...(call.asks === undefined
        ? [text('gen_ai.completion.0.content', call.answer)]
        : flatCallOf('gen_ai.completion.0', call.asks)),
    ],
  }),
  tool: ({ conversation }, { name, args, result, failed }) => ({
    name: `${name}.tool`,
    attributes: [
      text('traceloop.span.kind', 'tool'),
      text('traceloop.entity.name', name),
      text('traceloop.association.properties.session_id', conversation),
      text('traceloop.entity.input', JSON.stringify({ args: [], kwargs: JSON.parse(args) as unknown })),
      ...(failed ? [] : [text('traceloop.entity.output', result)]),
    ],
  }),
};

function flatCallOf(message: string, { id, name, args }: PlainCall): readonly Attribute[] {
  const call = `${message}.tool_calls.0`;
  return [text(`${call}.id`, id), text(`${call}.name`, name), text(`${call}.arguments`, args)];
}

const vercel: PlainDialect = {
  name: 'vercel',
  turn: ({ conversation, question, answer }) => ({
    name: 'ai.generateText',
    attributes: [
      text('operation.name', 'ai.generateText planner'),
      text('ai.operationId', 'ai.generateText'),
      text('ai.telemetry.functionId', 'planner'),
      text('session.id', conversation),
      text('ai.prompt', JSON.stringify({ prompt: question })),
      text('ai.response.text', answer),
      text('ai.response.finishReason', 'stop'),
    ],
  }),
  model: (_turn, call) => ({
    name: 'ai.generateText.doGenerate',
    attributes: [
      text('operation.name', 'ai.generateText.doGenerate planner'),
      text('ai.operationId', 'ai.generateText.doGenerate'),
      text('ai.model.id', MODEL),
      whole('ai.usage.inputTokens', call.tokensIn),
      whole('ai.usage.outputTokens', call.tokensOut),
      text('ai.response.finishReason', call.asks === undefined ? call.finish : 'tool-calls'),
      text(
        'ai.prompt.messages',
        JSON.stringify([
          { role: 'user', content: [{ type: 'text', text: call.question }] },
          ...call.before.flatMap(({ id, name, args, result }) => [
            {
              role: 'assistant',
              content: [{ type: 'tool-call', toolCallId: id, toolName: name, input: JSON.parse(args) as unknown }],
            },
            {
              role: 'tool',
              content: [
                { type: 'tool-result', toolCallId: id, toolName: name, output: { type: 'text', value: result } },
              ],
            },
          ]),
        ]),
      ),
      call.asks === undefined
        ? text('ai.response.text', call.answer)
        : text(
            'ai.response.toolCalls',
            JSON.stringify([{ toolCallId: call.asks.id, toolName: call.asks.name, input: call.asks.args }]),
          ),
    ],
  }),
  tool: (_turn, { id, name, args, result, failed }) => ({
    name: 'ai.toolCall',
    attributes: [
      text('operation.name', 'ai.toolCall planner'),
      text('ai.operationId', 'ai.toolCall'),
      text('ai.toolCall.name', name),
      text('ai.toolCall.id', id),
      text('ai.toolCall.args', args),
      ...(failed ? [] : [text('ai.toolCall.result', result)]),
    ],
  }),
};

const langfuse: PlainDialect = {
  name: 'langfuse',
  turn: ({ conversation, question, answer }) => ({
    name: 'planner',
    attributes: [
      text('langfuse.observation.type', 'agent'),
      text('session.id', conversation),
      text('langfuse.observation.input', question),
      text('langfuse.observation.output', answer),
    ],
  }),
  model: ({ conversation }, call) => ({
    name: 'generation',
    attributes: [
      text('langfuse.observation.type', 'generation'),
      text('session.id', conversation),
      text('langfuse.observation.model.name', MODEL),
      text('langfuse.observation.usage_details', JSON.stringify({ input: call.tokensIn, output: call.tokensOut })),
      text(
        'langfuse.observation.input',
        JSON.stringify([
          { role: 'user', content: call.question },
          ...call.before.flatMap((one) => [
            { role: 'assistant', content: null, tool_calls: [functionCallOf(one)] },
            { role: 'tool', tool_call_id: one.id, content: one.result },
          ]),
        ]),
      ),
      text(
        'langfuse.observation.output',
        JSON.stringify(
          call.asks === undefined
            ? { role: 'assistant', content: call.answer }
            : { role: 'assistant', content: null, tool_calls: [functionCallOf(call.asks)] },
        ),
      ),
    ],
  }),
  tool: ({ conversation }, { name, args, result, failed }) => ({
    name,
    attributes: [
      text('langfuse.observation.type', 'tool'),
      text('session.id', conversation),
      text('langfuse.observation.input', args),
      ...(failed ? [text('langfuse.observation.level', 'ERROR')] : [text('langfuse.observation.output', result)]),
    ],
  }),
};

function functionCallOf({ id, name, args }: PlainCall) {
  return { id, type: 'function', function: { name, arguments: args } };
}

export const PLAIN_DIALECTS = [genAi, openInference, traceloop, vercel, langfuse];

/** A request as an SDK of one agent exports it. */
export interface PlainRequest {
  readonly json: string;
  readonly spans: number;
}

export interface PlainOptions {
  readonly seed: number;
  readonly traces: number;
  /** Agents, each with conversations and a dialect of its own. */
  readonly agents?: number;
}

/** Spans of an agent in the order in which it ends them; requests of the agents take turns. */
export function* plainRequests({ seed, traces, agents = 20 }: PlainOptions): Generator<PlainRequest> {
  const random = randomFrom(seed);
  const queues = Array.from({ length: agents }, (_, agent) => ({ agent, waiting: [] as TrafficSpan[], turns: 0 }));
  let left = traces;
  for (;;) {
    const busy = queues.filter(({ waiting }) => left > 0 || waiting.length > 0);
    const queue = busy[Math.floor(random() * busy.length)];
    if (queue === undefined) return;
    const size = between(random, SPANS_PER_REQUEST);
    while (queue.waiting.length < size && left > 0) {
      queue.waiting.push(...turnOf(random, seed, queue.agent, queue.turns));
      queue.turns += 1;
      left -= 1;
    }
    const spans = queue.waiting.splice(0, size);
    if (spans.length > 0) yield { json: exportRequest(spans, `2026.11.${queue.agent}`), spans: spans.length };
  }
}

const TURNS_OF_CONVERSATION = 3;
const TOOLS = ['search_calendar', 'check_availability', 'book_room', 'send_invitation'];

function turnOf(random: () => number, seed: number, agent: number, number: number): TrafficSpan[] {
  const dialect = PLAIN_DIALECTS[agent % PLAIN_DIALECTS.length] ?? genAi;
  const conversation = `plain-${seed}-${agent}-${Math.floor(number / TURNS_OF_CONVERSATION)}`;
  const [isFailing, failsTool] = [random() < FAILING_SHARE, random() < 0.5];
  const question = sentence(random, [200, 1200]);
  const answer = isFailing && !failsTool ? '' : sentence(random, [200, 1200]);
  const calls = Array.from({ length: between(random, [2, 4]) }, (_, index): PlainCall => {
    const failed = isFailing && failsTool;
    return {
      id: `call_${hex(random, 8)}`,
      name: TOOLS[Math.floor(random() * TOOLS.length)] ?? '',
      args: JSON.stringify({ day: sentence(random, [5, 20]), page: index }),
      result: JSON.stringify(failed ? { error: 'timeout' } : { free: sentence(random, [200, 800]) }),
      failed,
    };
  });
  const traceId = hex(random, 32);
  const root = hex(random, 16);
  const spans: TrafficSpan[] = [];
  let at = START_NS + BigInt(number) * 60_000_000_000n;
  const began = at;
  const add = ({ name, attributes }: Written, ms: number, failed = false) => {
    const from = at;
    at += BigInt(ms) * 1_000_000n;
    const times = { startTimeUnixNano: String(from), endTimeUnixNano: String(at) };
    const status = failed ? { code: 2, message: 'timeout' } : { code: 0 };
    spans.push({ traceId, spanId: hex(random, 16), parentSpanId: root, name, kind: 1, ...times, attributes, status });
  };
  const turn = { conversation, question, answer };
  const model = (before: number): PlainModelCall => {
    const asks = calls[before];
    const finish = asks === undefined ? 'stop' : 'tool_calls';
    const tokens = { tokensIn: between(random, [200, 2000]), tokensOut: between(random, [20, 300]) };
    return { question, before: calls.slice(0, before), asks, answer, finish, ...tokens };
  };
  for (const [index, call] of calls.entries()) {
    add(dialect.model(turn, model(index)), between(random, [300, 900]));
    add(dialect.tool(turn, call), between(random, [50, 150]), call.failed);
  }
  add(dialect.model(turn, model(calls.length)), between(random, [300, 900]));
  const { name, attributes } = dialect.turn(turn);
  const times = { startTimeUnixNano: String(began - 1_000_000n), endTimeUnixNano: String(at + 1_000_000n) };
  return [...spans, { traceId, spanId: root, name, kind: 1, ...times, attributes, status: { code: 0 } }];
}

const SYLLABLES = 'ba co di fu ge hi jo ka le mi no pu ra si to vu we xi ya zo'.split(' ');
const VOCABULARY = vocabularyOf(8_000);

/** As in a language: a few words are most of a text, and others are rare. */
function sentence(random: () => number, range: readonly [number, number]): string {
  const length = between(random, range);
  let line = '';
  while (line.length < length) line += `${VOCABULARY[Math.floor(VOCABULARY.length * random() ** 4)] ?? ''} `;
  return line.trim();
}

function vocabularyOf(size: number): readonly string[] {
  const random = randomFrom(7);
  const words = new Set<string>();
  while (words.size < size) {
    let word = '';
    for (let syllables = between(random, [1, 4]); syllables > 0; syllables -= 1)
      word += SYLLABLES[Math.floor(random() * SYLLABLES.length)] ?? '';
    words.add(word);
  }
  return [...words];
}

function between(random: () => number, [least, most]: readonly [number, number]): number {
  return least + Math.floor(random() * (most - least + 1));
}

function hex(random: () => number, digits: number): string {
  let out = '';
  while (out.length < digits)
    out += Math.floor(random() * 0x1_0000_0000)
      .toString(16)
      .padStart(8, '0');
  return out.slice(0, digits);
}
