/**
 * An agent that does what its input says, one thing after the other, as a command: {"do": ["spans", "answer"]}. It speaks OTLP by itself,
 * so that it starts quickly. Each start is a line in the file that STARTS names: case, repeat, seed, process.
 *
 *   spans        exports a trace: an agent, a model call
 *   pieces       exports a trace, each span in a request of its own
 *   half         exports the model call without the agent's span
 *   two-traces   exports two
 *   named        exports a trace that names a conversation of its own
 *   other        exports a trace that names another
 *   joined       exports a trace below the span that TRACEPARENT names, without saying that it is another process's
 *   secret       exports a trace with a key in it
 *   late         exports a trace a while after it has ended: from a process that it leaves behind
 *   sleeper      leaves a process behind that writes its id to the file that the input names as `note`, and sleeps
 *   messages     answers with messages
 *   garbage      writes bytes that are no text
 *   lots         writes more than anybody keeps
 *   crash        complains and ends with code 3
 *   crash-once   does so where the file `note` is not there, and makes it
 *   hang         does not end, and does not listen to SIGTERM
 *   wait         waits for the file `note` to be there
 *   answer       answers with what it was given
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

interface Given {
  readonly case: string;
  readonly repeat: number;
  readonly seed: number;
  readonly input: { readonly do: readonly string[]; readonly note?: string };
}

const { STARTS, TRACEPARENT = '', OTEL_EXPORTER_OTLP_ENDPOINT = '' } = process.env;
const chunks: Buffer[] = [];
for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk);
const given = JSON.parse(Buffer.concat(chunks).toString()) as Given;
const { note = '' } = given.input;
if (STARTS !== undefined) appendFileSync(STARTS, `${given.case} ${given.repeat} ${given.seed} ${process.pid}\n`);
for (const what of given.input.do) await act(what);

async function act(what: string): Promise<void> {
  switch (what) {
    case 'spans':
      return await send(trace({}));
    case 'pieces':
      for (const span of trace({})) await send([span]);
      return;
    case 'half':
      return await send(trace({}).slice(0, 1));
    case 'two-traces':
      return await send([...trace({}), ...trace({})]);
    case 'named':
      return await send(trace({ conversation: 'of-its-own' }));
    case 'other':
      return await send(trace({ conversation: 'another' }));
    case 'joined': {
      const [, traceId = '', parent = ''] = TRACEPARENT.split('-');
      return await send(trace({ traceId, parent }));
    }
    case 'secret':
      return await send(trace({ said: 'my key is sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789' }));
    case 'late': {
      const code = `setTimeout(() => fetch(${JSON.stringify(url())}, ${JSON.stringify(post(trace({})))}), 400)`;
      spawn(process.execPath, ['-e', code], { stdio: 'ignore' }).unref();
      return;
    }
    case 'sleeper': {
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
      child.unref();
      writeFileSync(note, String(child.pid));
      return;
    }
    case 'messages':
      console.log(
        JSON.stringify({
          agent: 'messenger',
          messages: [
            { role: 'user', content: 'What is two and two?' },
            {
              role: 'assistant',
              content: null,
              tool_calls: [{ id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":2,"b":2}' } }],
            },
            { role: 'tool', tool_call_id: 'c1', content: '4' },
            { role: 'assistant', content: 'Two and two is four.' },
          ],
        }),
      );
      return;
    case 'garbage':
      process.stdout.write(Buffer.from([0xff, 0xfe, 0x00, 0x7b, 0x1b, 0x5b, 0x41]));
      return;
    case 'lots':
      for (let written = 0; written < 12; written += 1) {
        await new Promise((resolve) => process.stdout.write(Buffer.alloc(1 << 20, 'x'), resolve));
        await new Promise((resolve) => process.stderr.write(Buffer.alloc(1 << 20, 'y\n'), resolve));
      }
      return;
    case 'crash-once':
      if (existsSync(note)) return;
      writeFileSync(note, '');
      return await act('crash');
    case 'crash':
      console.error('something is wrong\nwith \u001b[31mthis agent');
      process.exit(3);
      break;
    case 'hang':
      process.on('SIGTERM', () => console.error('no'));
      console.error('still thinking');
      for (;;) await sleep(1000);
    case 'wait':
      while (!existsSync(note)) await sleep(10);
      return;
    case 'answer':
      console.log(JSON.stringify(given));
      return;
    default:
      throw new Error(`nobody knows what ${what} is`);
  }
}

function trace(wanted: {
  readonly traceId?: string;
  readonly parent?: string;
  readonly conversation?: string;
  readonly said?: string;
}): readonly object[] {
  const traceId = wanted.traceId ?? randomBytes(16).toString('hex');
  const [root, call] = [randomBytes(8).toString('hex'), randomBytes(8).toString('hex')];
  const now = Date.now();
  const span = (name: string, spanId: string, parentSpanId: string | undefined, attributes: object) => ({
    traceId,
    spanId,
    parentSpanId,
    name,
    kind: 1,
    startTimeUnixNano: `${now}000000`,
    endTimeUnixNano: `${now + 5}000000`,
    attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
  });
  const answer = [{ role: 'assistant', parts: [{ type: 'text', content: wanted.said ?? 'Here you are, as asked.' }] }];
  return [
    span('chat m', call, root, {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'm',
      'gen_ai.output.messages': JSON.stringify(answer),
    }),
    span('invoke_agent scripted', root, wanted.parent, {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'scripted',
      'gen_ai.agent.version': 'v7',
      ...(wanted.conversation === undefined ? {} : { 'gen_ai.conversation.id': wanted.conversation }),
    }),
  ];
}

function url(): string {
  return `${OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces`;
}

function post(spans: readonly object[]) {
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ scope: { name: 'scripted' }, spans }] }] });
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body };
}

async function send(spans: readonly object[]): Promise<void> {
  const response = await fetch(url(), post(spans));
  if (!response.ok) throw new Error(`the receiver answered ${response.status}`);
}
