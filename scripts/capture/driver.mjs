/**
 * The support code for a JavaScript framework's file: the run to play, its tools, and two functions, one that starts
 * OpenTelemetry and one that plays the turns. It is copied next to the file and sees the framework's packages, not the
 * project's.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';

const script = JSON.parse(readFileSync(process.env.CAPTURE_SCRIPT ?? 'script.json', 'utf8'));

let turn = -1;
const used = new Set();

/** Tools look their results up in the script, by name and arguments; the same call twice gets the second result. */
async function perform(name, args) {
  await new Promise((resolve) => setTimeout(resolve, 8));
  const outcomes = script.turns[turn]?.tools ?? [];
  const wanted = canonical(args);
  const found =
    outcomes.find((outcome) => outcome.name === name && !used.has(outcome.id) && canonical(outcome.args) === wanted) ??
    outcomes.find((outcome) => outcome.name === name && canonical(outcome.args) === wanted);
  if (found === undefined) throw new Error(`the script knows no ${name}(${wanted})`);
  used.add(found.id);
  if (found.killed) {
    for (const flush of flushes) await flush();
    process.exit(9);
  }
  if (found.error === undefined) return found.result;
  const [, type, message] = /^(\w+): (.*)$/s.exec(found.error) ?? [undefined, 'Error', found.error];
  throw Object.assign(new Error(message), { name: type }, found.ends_turn ? { endsTurn: true } : {});
}

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join()}}`;
}

function agentOf(offer) {
  return {
    ...offer,
    tools: offer.tools.map((tool) => ({ ...tool, execute: (args) => perform(tool.name, args) })),
  };
}

/** See `capture.ts` for its fields: scenario, variant, settings, api, conversationId, userId, model, otlp, handsOff. */
export const run = {
  ...script,
  agent: agentOf(script.agent),
  inner: script.inner === null ? null : agentOf(script.inner),
};

/** JSON text of a tool's result, for frameworks whose tools return text. */
export function asText(result) {
  return typeof result === 'string' ? result : JSON.stringify(result);
}

const flushes = [];
/** Called after each turn and at the end, for exporters that `startTelemetry` did not create. */
export function onFlush(flush) {
  flushes.push(flush);
}

/**
 * A tracer provider with a batching exporter, global and with asynchronous context. `processors` come first; `resource`
 * is added to the one from the environment.
 */
export async function startTelemetry({ processors = [], path = '/v1/traces', wrap = (processor) => processor } = {}) {
  const { NodeTracerProvider, BatchSpanProcessor } = await import('@opentelemetry/sdk-trace-node');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-proto');
  const { resourceFromAttributes, defaultResource } = await import('@opentelemetry/resources');
  const exporter = new OTLPTraceExporter({ url: `${run.otlp.url}${path}` });
  const provider = new NodeTracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        'service.name': run.serviceName,
        'service.version': '1.4.2',
        'deployment.environment.name': 'test',
      }),
    ),
    spanProcessors: [...processors, wrap(new BatchSpanProcessor(exporter, { scheduledDelayMillis: 200 }))],
  });
  provider.register();
  onFlush(() => provider.forceFlush());
  return provider;
}

const context = new AsyncLocalStorage();

/** Plays the script's turns: `answer` gets the user's message and returns the agent's text. */
export async function play(answer) {
  for (const [index, { user }] of script.turns.entries()) {
    await post('/turn', { index });
    turn = index;
    const outcome = { index };
    try {
      outcome.answer = await context.exit(() => answer(user));
    } catch (error) {
      if (process.env.CAPTURE_VERBOSE) console.error(error);
      outcome.error = { name: error?.name ?? 'Error', message: String(error?.message ?? error) };
    }
    await post('/outcome', outcome);
    for (const flush of flushes) await flush();
  }
}

async function post(path, body) {
  await fetch(`${run.control}${path}`, { method: 'POST', body: JSON.stringify(body) });
}

/** A hand-written agent over OpenAI chat completions, for libraries that instrument clients and have no agents. */
export function openAiAgent({ complete, callTool, offer = run.agent }) {
  const history = [{ role: 'system', content: offer.instructions }];
  const tools = offer.tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }));
  return async (user) => {
    history.push({ role: 'user', content: user });
    for (;;) {
      // A copy: some instrumentations read the request only when they export.
      const message = await complete({ model: run.model.name, messages: [...history], tools });
      history.push(message);
      if ((message.tool_calls ?? []).length === 0) return message.content;
      const results = message.tool_calls.map(async (call) => {
        const { name, arguments: args } = call.function;
        const content = await resultFor(callTool, offer, name, JSON.parse(args), call.id);
        return { role: 'tool', tool_call_id: call.id, content };
      });
      history.push(...(await Promise.all(results)));
    }
  };
}

/** The message assembled from a streamed chat completion. */
export async function messageOfStream(stream) {
  const message = { role: 'assistant', content: null };
  for await (const { choices } of stream) {
    const delta = choices[0]?.delta ?? {};
    if (delta.content) message.content = (message.content ?? '') + delta.content;
    for (const part of delta.tool_calls ?? []) {
      message.tool_calls ??= [];
      message.tool_calls[part.index] ??= { id: part.id, type: 'function', function: { name: '', arguments: '' } };
      const call = message.tool_calls[part.index].function;
      call.name += part.function?.name ?? '';
      call.arguments += part.function?.arguments ?? '';
    }
  }
  return message;
}

/** The same over the Responses API: the whole history is sent each time. */
export function responsesAgent({ respond, callTool, offer = run.agent }) {
  const history = [];
  const tools = offer.tools.map(({ name, description, parameters }) => ({
    type: 'function',
    name,
    description,
    parameters,
    strict: true,
  }));
  return async (user) => {
    history.push({ role: 'user', content: user });
    for (;;) {
      const { output, output_text: text } = await respond({
        model: run.model.name,
        instructions: offer.instructions,
        input: [...history],
        tools,
      });
      history.push(...output);
      const calls = output.filter(({ type }) => type === 'function_call');
      if (calls.length === 0) return text;
      const results = calls.map(async (call) => {
        const result = await resultFor(callTool, offer, call.name, JSON.parse(call.arguments), call.call_id);
        return { type: 'function_call_output', call_id: call.call_id, output: result };
      });
      history.push(...(await Promise.all(results)));
    }
  };
}

/** The same over Anthropic's Messages API. */
export function anthropicAgent({ create, callTool, offer = run.agent }) {
  const messages = [];
  const tools = offer.tools.map(({ name, description, parameters }) => ({
    name,
    description,
    input_schema: parameters,
  }));
  return async (user) => {
    messages.push({ role: 'user', content: user });
    for (;;) {
      const { content } = await create({
        model: run.model.name,
        max_tokens: 1024,
        system: offer.instructions,
        messages: [...messages],
        tools,
      });
      messages.push({ role: 'assistant', content });
      const calls = content.filter(({ type }) => type === 'tool_use');
      if (calls.length === 0) return content.map(({ text = '' }) => text).join('');
      const results = calls.map(async ({ id, name, input }) => {
        const result = await resultFor(callTool, offer, name, input, id);
        return { type: 'tool_result', tool_use_id: id, content: result };
      });
      messages.push({ role: 'user', content: await Promise.all(results) });
    }
  };
}

/** The message for the model: the tool's result, or its error, unless that is to end the turn. */
async function resultFor(callTool, offer, name, args, id) {
  const tool = offer.tools.find((each) => each.name === name);
  try {
    return asText(await callTool(tool, args, id));
  } catch (error) {
    if (error.endsTurn) throw error;
    return `Error: ${error.name}: ${error.message}`;
  }
}
