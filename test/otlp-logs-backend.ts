/** A backend that takes OpenTelemetry log records over OTLP/HTTP, for tests: a real HTTP server that reads protobuf with the reference decoder. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { otlp } from './model/otlp/otlp.proto.ts';

export interface LoggedEvent {
  readonly traceId: string;
  readonly spanId: string;
  readonly eventName: string;
  readonly severity: number;
  readonly scope: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface LogsRequest {
  readonly headers: IncomingHttpHeaders;
  readonly url: string;
  readonly events: readonly LoggedEvent[];
}

export const LOGS_PATH = '/v1/logs';

/** `answer` gives the status of each request; what is answered with 200 is taken. */
export async function startLogsBackend(
  answer: (request: LogsRequest, number: number) => number,
  port = 0,
): Promise<{ readonly url: string; readonly taken: LogsRequest[] }> {
  const taken: LogsRequest[] = [];
  let number = 0;
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { headers, url = '' } = request;
      const read = { headers, url, events: eventsIn(gunzipSync(Buffer.concat(parts))) };
      const status = answer(read, number++);
      if (status === 200) taken.push(read);
      response.writeHead(status).end(status === 200 ? '' : 'not now');
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the backend does not listen');
  return { url: `http://127.0.0.1:${address.port}${LOGS_PATH}`, taken };
}

function eventsIn(body: Buffer): LoggedEvent[] {
  interface Value {
    readonly stringValue?: string;
    readonly doubleValue?: number;
    readonly intValue?: number;
    readonly arrayValue?: { readonly values: readonly Value[] };
  }
  const plain = (value: Value): unknown =>
    value.arrayValue?.values.map(plain) ?? value.stringValue ?? value.doubleValue ?? value.intValue;
  const message = otlp.LogsData.toObject(otlp.LogsData.decode(body), { bytes: Buffer, longs: Number }) as {
    readonly resourceLogs: readonly {
      readonly scopeLogs: readonly {
        readonly scope: { readonly name: string };
        readonly logRecords: readonly {
          readonly traceId: Buffer;
          readonly spanId: Buffer;
          readonly eventName: string;
          readonly severityNumber: number;
          readonly attributes: readonly { readonly key: string; readonly value: Value }[];
        }[];
      }[];
    }[];
  };
  return message.resourceLogs.flatMap(({ scopeLogs }) =>
    scopeLogs.flatMap(({ scope, logRecords }) =>
      logRecords.map((record) => ({
        traceId: Buffer.from(record.traceId).toString('hex'),
        spanId: Buffer.from(record.spanId).toString('hex'),
        eventName: record.eventName,
        severity: record.severityNumber,
        scope: scope.name,
        attributes: Object.fromEntries(record.attributes.map(({ key, value }) => [key, plain(value)])),
      })),
    ),
  );
}
