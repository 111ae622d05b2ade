/** A protobuf request as OTLP/JSON, in one of the spellings that exporters use. The reference of the JSON transcoder. */
import { bitsOf, decode, hex, list, type Message, message, type Signal } from './reference-reading.ts';
import type { Random } from './random-requests.ts';

type JsonValue = undefined | null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

export function toOtlpJson(signal: Signal, bytes: Uint8Array, random: Random): string {
  return new JsonWriter(random).request(signal, bytes);
}

const KIND_NAMES = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'];
const STATUS_NAMES = ['UNSET', 'OK', 'ERROR'];
const SEVERITY_NAMES = ['UNSPECIFIED', 'TRACE', 'TRACE2', 'TRACE3', 'TRACE4', 'DEBUG', 'DEBUG2'];

class JsonWriter {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  request(signal: Signal, bytes: Uint8Array): string {
    const names =
      signal === 'traces'
        ? ({ groups: 'resourceSpans', scopes: 'scopeSpans', rows: 'spans' } as const)
        : ({ groups: 'resourceLogs', scopes: 'scopeLogs', rows: 'logRecords' } as const);
    const request = decode(signal === 'traces' ? 'TracesData' : 'LogsData', bytes);
    const groups = list(request, names.groups).map((group) =>
      this.#object({
        resource: this.#resource(group.resource),
        [names.scopes]: list(group, names.scopes).map((scope) =>
          this.#object({
            scope: this.#scope(scope.scope),
            [names.rows]: list(scope, names.rows).map((row) =>
              signal === 'traces' ? this.#span(row) : this.#logRecord(row),
            ),
          }),
        ),
      }),
    );
    const indent = this.#random.pick([0, 0, 1]);
    const text = JSON.stringify(this.#object({ [names.groups]: groups }), null, indent);
    return this.#random.chance(0.2) ? text.replace(/[\u0080-\uffff/]/g, escaped) : text;
  }

  #span(span: Message): JsonValue {
    const status = message(span.status);
    return this.#object({
      traceId: this.#id(span.traceId),
      spanId: this.#id(span.spanId),
      parentSpanId: this.#id(span.parentSpanId),
      traceState: text(span.traceState),
      name: text(span.name),
      kind: this.#enum(span.kind, 'SPAN_KIND_', KIND_NAMES),
      startTimeUnixNano: this.#integer(span.startTimeUnixNano),
      endTimeUnixNano: this.#integer(span.endTimeUnixNano),
      attributes: this.#attributes(span),
      droppedAttributesCount: Number(span.droppedAttributesCount),
      events: list(span, 'events').map((event) =>
        this.#object({
          timeUnixNano: this.#integer(event.timeUnixNano),
          name: text(event.name),
          attributes: this.#attributes(event),
        }),
      ),
      links: list(span, 'links').map((link) =>
        this.#object({
          traceId: this.#id(link.traceId),
          spanId: this.#id(link.spanId),
          flags: Number(link.flags),
          attributes: this.#attributes(link),
        }),
      ),
      status: this.#object({
        message: text(status.message),
        code: this.#enum(status.code ?? 0, 'STATUS_CODE_', STATUS_NAMES),
      }),
      flags: Number(span.flags),
    });
  }

  #logRecord(record: Message): JsonValue {
    return this.#object({
      timeUnixNano: this.#integer(record.timeUnixNano),
      observedTimeUnixNano: this.#integer(record.observedTimeUnixNano),
      severityNumber: this.#enum(record.severityNumber, 'SEVERITY_NUMBER_', SEVERITY_NAMES),
      severityText: text(record.severityText),
      body: record.body === undefined || record.body === null ? undefined : this.#value(record.body),
      attributes: this.#attributes(record),
      flags: Number(record.flags),
      traceId: this.#id(record.traceId),
      spanId: this.#id(record.spanId),
      eventName: text(record.eventName),
    });
  }

  #resource(resource: unknown): JsonValue {
    return resource === undefined || resource === null
      ? undefined
      : this.#object({ attributes: this.#attributes(resource) });
  }

  #scope(scope: unknown): JsonValue {
    if (scope === undefined || scope === null) return undefined;
    const { name, version } = message(scope);
    return this.#object({ name: text(name), version: text(version), attributes: this.#attributes(scope) });
  }

  #attributes(owner: unknown): JsonValue {
    return list(message(owner), 'attributes').map((attribute) => this.#keyValue(attribute));
  }

  #keyValue(attribute: Message): JsonValue {
    const { key, value } = attribute;
    return this.#object({
      key: text(key),
      value: value === undefined || value === null ? undefined : this.#value(value),
    });
  }

  #value(value: unknown): JsonValue {
    const any = message(value);
    switch (any.value) {
      case 'stringValue':
        return this.#object({ stringValue: text(any.stringValue) });
      case 'boolValue':
        return this.#object({ boolValue: any.boolValue === true });
      case 'intValue':
        return this.#object({ intValue: this.#signed(BigInt.asIntN(64, bitsOf(any.intValue))) });
      case 'doubleValue':
        return this.#object({ doubleValue: double(Number(any.doubleValue)) });
      case 'bytesValue': {
        const encoding = this.#random.pick<BufferEncoding>(['base64', 'base64url']);
        return this.#object({ bytesValue: Buffer.from(hex(any.bytesValue), 'hex').toString(encoding) });
      }
      case 'arrayValue':
        return this.#object({
          arrayValue: this.#object({
            values: list(message(any.arrayValue), 'values').map((item) => this.#value(item)),
          }),
        });
      case 'kvlistValue':
        return this.#object({
          kvlistValue: this.#object({
            values: list(message(any.kvlistValue), 'values').map((item) => this.#keyValue(item)),
          }),
        });
      default:
        return this.#random.chance(0.3) ? this.#object({ futureValue: [{ a: {} }, null, 'x', -1.5e3] }) : {};
    }
  }

  /** Camel case or snake case; sometimes a key that no reader knows, or null for an absent value. */
  #object(members: { readonly [key: string]: JsonValue }): JsonValue {
    const snake = this.#random.chance(0.2);
    const object: { [key: string]: JsonValue } = {};
    if (this.#random.chance(0.05)) object.unknown = { deep: [[], {}, '"\\', null, true, false, 0.5] };
    for (const [key, value] of Object.entries(members)) {
      const spelled = snake ? key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : key;
      object[spelled] = value === undefined && this.#random.chance(0.1) ? null : value;
    }
    return object;
  }

  #id(bytes: unknown): JsonValue {
    const digits = hex(bytes);
    return this.#random.chance(0.3) ? digits.toUpperCase() : digits;
  }

  #enum(value: unknown, prefix: string, names: readonly string[]): JsonValue {
    const number = Number(value);
    const name = names[number];
    return name !== undefined && this.#random.chance(0.3) ? prefix + name : number;
  }

  #integer(long: unknown): JsonValue {
    return this.#signed(bitsOf(long));
  }

  #signed(integer: bigint): JsonValue {
    const isExact = BigInt(Number(integer)) === integer && Number.isSafeInteger(Number(integer));
    return isExact && this.#random.chance(0.4) ? Number(integer) : integer.toString();
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function double(value: number): JsonValue {
  if (Number.isFinite(value)) return Object.is(value, -0) ? '-0' : value;
  return String(value);
}

function escaped(character: string): string {
  return character === '/' ? '\\/' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
