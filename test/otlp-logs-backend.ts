/**
 * A backend for tests that accepts OpenTelemetry log records over OTLP/HTTP: a real HTTP server that reads protobuf
 * with the reference decoder.
 */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { otlp } from './otlp/otlp.proto.ts';

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

type Attributes = Readonly<Record<string, unknown>>;
interface KeyValue {
  readonly key: string;
  readonly value: Value;
}
interface Value {
  readonly stringValue?: string;
  readonly doubleValue?: number;
  readonly intValue?: number;
  readonly arrayValue?: { readonly values: readonly Value[] };
}

/** A span as it was sent. */
export interface CarrierSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly scope: string;
  readonly resource: Attributes;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly attributes: Attributes;
}

/** The spans of an OTLP request in protobuf. */
export function spansIn(body: Buffer): CarrierSpan[] {
  interface Link {
    readonly traceId: Buffer;
    readonly spanId: Buffer;
  }
  const message = otlp.TracesData.toObject(otlp.TracesData.decode(body), {
    bytes: Buffer,
    longs: Number,
    defaults: true,
    arrays: true,
  }) as {
    readonly resourceSpans: readonly {
      readonly resource: { readonly attributes: readonly KeyValue[] };
      readonly scopeSpans: readonly {
        readonly scope: { readonly name: string };
        readonly spans: readonly (Link & {
          readonly parentSpanId: Buffer;
          readonly links: readonly Link[];
          readonly attributes: readonly KeyValue[];
        })[];
      }[];
    }[];
  };
  const hex = (bytes: Buffer) => Buffer.from(bytes).toString('hex');
  return message.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ scope, spans }) =>
      spans.map((span) => ({
        traceId: hex(span.traceId),
        spanId: hex(span.spanId),
        parentSpanId: hex(span.parentSpanId),
        scope: scope.name,
        resource: plainAttributes(resource.attributes),
        links: span.links.map((link) => ({ traceId: hex(link.traceId), spanId: hex(link.spanId) })),
        attributes: plainAttributes(span.attributes),
      })),
    ),
  );
}

function plainAttributes(attributes: readonly KeyValue[]): Attributes {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));
}

function plain(value: Value): unknown {
  return value.arrayValue?.values.map(plain) ?? value.stringValue ?? value.doubleValue ?? value.intValue;
}

/** `answer` returns the status of each request; requests answered with 200 are kept. */
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
  const message = otlp.LogsData.toObject(otlp.LogsData.decode(body), { bytes: Buffer, longs: Number }) as {
    readonly resourceLogs: readonly {
      readonly scopeLogs: readonly {
        readonly scope: { readonly name: string };
        readonly logRecords: readonly {
          readonly traceId: Buffer;
          readonly spanId: Buffer;
          readonly eventName: string;
          readonly severityNumber: number;
          readonly attributes: readonly KeyValue[];
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
        attributes: plainAttributes(record.attributes),
      })),
    ),
  );
}
