/** Nothing has come yet: how to send the first span. The frame asks every few seconds, and shows the first conversation. */
import { useService } from '../api/use-service.ts';
import { Command } from '../text/command.tsx';

export function Start() {
  const service = useService();
  const receiving = service?.receiving;
  const host = location.hostname;
  const endpoint =
    receiving?.otlp_http_port === undefined ? undefined : `${location.protocol}//${host}:${receiving.otlp_http_port}`;
  return (
    <section class="start">
      <h1>No conversation has come yet</h1>
      <p role="status">This page shows the first one by itself, about a quarter of a minute after its last span.</p>
      {receiving === undefined && service !== undefined && <p>This instance receives no spans.</p>}
      {endpoint === undefined ? [] : withEndpoint(endpoint, receiving?.otlp_grpc_port)}
      {receiving?.kafka === true && <p>Spans that a Collector writes to Kafka are read from there.</p>}
      <Example />
      <h2>It stays empty?</h2>
      <p>This command says what was received, what became of it, and what is missing:</p>
      <Command text={`npx assay doctor --url ${location.origin}`} />
    </section>
  );
}

const THIS_MACHINE = ['localhost', '127.0.0.1', '[::1]'];

/** A service of its own, so that no invented conversation stands among real ones. Only for who has a terminal here. */
function Example() {
  const { hostname, port } = location;
  if (!THIS_MACHINE.includes(hostname)) return null;
  const [page, http, grpc] = [10, 11, 12].map((more) => Number(port || 80) + more);
  const address = `http://${hostname}:${page}/`;
  return (
    <>
      <h2>Or look at an example first</h2>
      <p>
        {
          'In a clone of the repository, this serves 80 conversations of an example agent, of a good and a bad version, at '
        }
        <a href={address}>{address}</a>
        {'. This service stays as it is.'}
      </p>
      <Command text={`npx assay demo --http-port ${page} --otlp-http-port ${http} --otlp-grpc-port ${grpc}`} />
    </>
  );
}

function withEndpoint(endpoint: string, grpcPort: number | undefined) {
  return [
    <h2 key="agent">Point your agent here</h2>,
    <p key="agent-about">In the environment of an agent that exports OpenTelemetry spans over HTTP:</p>,
    <Command key="agent-command" text={`export OTEL_EXPORTER_OTLP_ENDPOINT=${endpoint}`} />,
    ...(grpcPort === undefined
      ? []
      : [<p key="grpc" class="aside">{`Over gRPC it is ${location.protocol}//${location.hostname}:${grpcPort}.`}</p>]),
    <p key="init" class="aside">
      {'No spans yet? '}
      <code>npx assay init</code>
      {" in the agent's folder writes what your framework needs to send them, and changes none of your files."}
    </p>,
    <p key="token" class="aside">
      {'If Assay asks for tokens, add '}
      <code>{'OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer <token>"'}</code>
      {' with a token of the role ingest.'}
    </p>,
    <h2 key="first">Or send a first span by hand</h2>,
    <Command key="first-command" text={firstSpan(endpoint)} />,
  ];
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
