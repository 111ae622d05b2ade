/** Nothing has come yet: how to send the first span. The frame asks every few seconds, and shows the first conversation. */
import { h, type JSX } from 'preact';
import { useService } from '../api/use-service.ts';
import { Copy } from '../text/copy.ts';

export function Start(): JSX.Element {
  const service = useService();
  const receiving = service?.receiving;
  const host = location.hostname;
  const endpoint =
    receiving?.otlp_http_port === undefined ? undefined : `${location.protocol}//${host}:${receiving.otlp_http_port}`;
  return h(
    'section',
    { class: 'start' },
    h('h1', null, 'No conversation has come yet'),
    h(
      'p',
      { role: 'status' },
      'This page shows the first one by itself, about a quarter of a minute after its last span.',
    ),
    receiving === undefined && service !== undefined && h('p', null, 'This instance receives no spans.'),
    ...(endpoint === undefined ? [] : withEndpoint(endpoint, receiving?.otlp_grpc_port)),
    receiving?.kafka === true && h('p', null, 'Spans that a Collector writes to Kafka are read from there.'),
    h('h2', null, 'It stays empty?'),
    h('p', null, 'This command says what was received, what became of it, and what is missing:'),
    h(Command, { text: `npx assay doctor --url ${location.origin}` }),
  );
}

function withEndpoint(endpoint: string, grpcPort: number | undefined): JSX.Element[] {
  return [
    h('h2', { key: 'agent' }, 'Point your agent here'),
    h('p', { key: 'agent-about' }, 'In the environment of an agent that exports OpenTelemetry spans over HTTP:'),
    h(Command, { key: 'agent-command', text: `export OTEL_EXPORTER_OTLP_ENDPOINT=${endpoint}` }),
    ...(grpcPort === undefined
      ? []
      : [
          h(
            'p',
            { key: 'grpc', class: 'aside' },
            `Over gRPC it is ${location.protocol}//${location.hostname}:${grpcPort}.`,
          ),
        ]),
    h(
      'p',
      { key: 'token', class: 'aside' },
      'If Assay asks for tokens, add ',
      h('code', null, 'OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer <token>"'),
      ' with a token of the role ingest.',
    ),
    h('h2', { key: 'first' }, 'Or send a first span by hand'),
    h(Command, { key: 'first-command', text: firstSpan(endpoint) }),
  ];
}

function Command({ text }: { readonly text: string }): JSX.Element {
  return h('div', { class: 'command' }, h('pre', { tabIndex: 0 }, text), h(Copy, { text, label: 'Copy' }));
}

/** Ids and times are made by the shell, so that each run is another conversation. */
function firstSpan(endpoint: string): string {
  const said = (role: string, content: string) =>
    JSON.stringify(JSON.stringify([{ role, parts: [{ type: 'text', content }] }]));
  const attribute = (key: string, quoted: string) => `{"key":"${key}","value":{"stringValue":${quoted}}}`;
  const attributes = [
    attribute('gen_ai.operation.name', '"invoke_agent"'),
    attribute('gen_ai.agent.name', '"greeter"'),
    attribute('gen_ai.input.messages', said('user', 'When do you open?')),
    attribute('gen_ai.output.messages', said('assistant', 'We open at nine.')),
  ];
  const span = `{"traceId":"$(openssl rand -hex 16)","spanId":"$(openssl rand -hex 8)","name":"invoke_agent greeter","kind":1,"startTimeUnixNano":"$(date +%s)000000000","endTimeUnixNano":"$(date +%s)500000000","attributes":[${attributes.join(',')}]}`;
  return `curl -s ${endpoint}/v1/traces -H 'content-type: application/json' -d @- <<END
{"resourceSpans":[{"scopeSpans":[{"spans":[${span}]}]}]}
END`;
}
