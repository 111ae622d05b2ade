/** Conversations that are made of spans written here, sent to a running service as OTLP over HTTP. */
import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';

interface SentConversation {
  readonly id: string;
  readonly asked: string;
  readonly answered: string;
  readonly agent?: string;
  /** Tool calls below the agent's span. */
  readonly tools?: readonly { readonly name: string; readonly arguments: string; readonly result: string }[];
}

const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const said = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);

export async function sendConversations(
  otlp: string,
  conversations: readonly SentConversation[],
  { token }: { readonly token?: string } = {},
): Promise<void> {
  const now = Date.now();
  const spans = conversations.flatMap(({ id, asked, answered, agent: named = 'writer', tools = [] }) => {
    const traceId = randomBytes(16).toString('hex');
    const root = randomBytes(8).toString('hex');
    const at = (ms: number) => `${now + ms}000000`;
    const children = tools.map((tool, index) => ({
      traceId,
      spanId: randomBytes(8).toString('hex'),
      parentSpanId: root,
      name: `execute_tool ${tool.name}`,
      kind: 1,
      startTimeUnixNano: at(index),
      endTimeUnixNano: at(index + 1),
      attributes: [
        attribute('gen_ai.operation.name', 'execute_tool'),
        attribute('gen_ai.tool.name', tool.name),
        attribute('gen_ai.tool.call.arguments', tool.arguments),
        attribute('gen_ai.tool.call.result', tool.result),
      ],
    }));
    const agent = {
      traceId,
      spanId: root,
      name: `invoke_agent ${named}`,
      kind: 1,
      startTimeUnixNano: at(0),
      endTimeUnixNano: at(tools.length + 1),
      attributes: [
        attribute('gen_ai.operation.name', 'invoke_agent'),
        attribute('gen_ai.agent.name', named),
        attribute('gen_ai.conversation.id', id),
        attribute('gen_ai.input.messages', said('user', asked)),
        attribute('gen_ai.output.messages', said('assistant', answered)),
      ],
    };
    return [...children, agent];
  });
  const response = await fetch(`${otlp}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer(token) },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
  });
  expect(response.status).toBe(200);
}

function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** Asks until the answer is as it should be. */
export async function untilAnswered<T>(
  url: string,
  isDone: (answer: T) => boolean,
  { token }: { readonly token?: string } = {},
): Promise<T> {
  for (const deadline = Date.now() + 60_000; ; ) {
    const response = await fetch(url, { headers: bearer(token) });
    // The cast is checked by what the test expects of the answer.
    const answer = response.ok ? ((await response.json()) as T) : undefined;
    if (answer !== undefined && isDone(answer)) return answer;
    const said = `${response.status} ${JSON.stringify(answer ?? '').slice(0, 500)}`;
    if (Date.now() > deadline) throw new Error(`${url} still answers ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
