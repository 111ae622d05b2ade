/**
 * Where Assay's own traces and metrics go, from OpenTelemetry's own variables, as far as sending over OTLP/HTTP goes. A signal's own variable wins
 * over the general one.
 *
 *   OTEL_EXPORTER_OTLP_{TRACES_|METRICS_}ENDPOINT, HEADERS, TIMEOUT, COMPRESSION, CERTIFICATE, CLIENT_CERTIFICATE, CLIENT_KEY
 *   OTEL_RESOURCE_ATTRIBUTES, OTEL_SERVICE_NAME
 *   OTEL_TRACES_EXPORTER, OTEL_METRICS_EXPORTER, OTEL_SDK_DISABLED
 *
 * A value that cannot be read counts as absent, as the specification asks.
 */
import { signalUrl } from './otlp-address.ts';
import type { Variables } from './sources.ts';
import { isWebAddress } from '../model/web-address.ts';

/** Address of one signal's receiver, and how it is sent to. */
interface ExportTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Time for a request with all its retries. */
  readonly timeoutMs: number;
  readonly compression: 'gzip' | 'none';
  /** Files in PEM. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

export interface TelemetrySettings {
  readonly traces: ExportTarget;
  readonly metrics: ExportTarget;
  /** Attributes of the resource. */
  readonly resource: Readonly<Record<string, string>>;
  readonly metricsEveryMs: number;
}

/** Either is enough to switch telemetry on. An endpoint alone is not: agents beside it are told theirs the same way. */
const ASKED_BY = ['OTEL_TRACES_EXPORTER', 'OTEL_METRICS_EXPORTER'];
/** The usual interval of OpenTelemetry, which backends expect. */
const METRICS_EVERY_MS = 60_000;
const DEFAULT_ENDPOINT = 'http://localhost:4318';
const DEFAULT_TIMEOUT_MS = 10_000;

/** Undefined where it is off. */
export function telemetryIn(env: Variables): TelemetrySettings | undefined {
  if (env.OTEL_SDK_DISABLED === 'true' || ASKED_BY.every((name) => env[name] !== 'otlp')) return undefined;
  return {
    traces: exportTarget('traces', env),
    metrics: exportTarget('metrics', env),
    resource: resourceVariables(env),
    metricsEveryMs: METRICS_EVERY_MS,
  };
}

export function exportTarget(signal: 'traces' | 'metrics', env: Variables): ExportTarget {
  const [general, own] = ['OTEL_EXPORTER_OTLP_', `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_`];
  const value = (name: string) => present(env[`${own}${name}`]) ?? present(env[`${general}${name}`]);
  const timeout = Number(value('TIMEOUT'));
  const [ca, cert, key] = [value('CERTIFICATE'), value('CLIENT_CERTIFICATE'), value('CLIENT_KEY')];
  return {
    url: urlOf(signal, { own: present(env[`${own}ENDPOINT`]), general: present(env[`${general}ENDPOINT`]) }),
    headers: { ...headersIn(env[`${general}HEADERS`]), ...headersIn(env[`${own}HEADERS`]) },
    timeoutMs: timeout > 0 ? timeout : DEFAULT_TIMEOUT_MS,
    compression: value('COMPRESSION') === 'gzip' ? 'gzip' : 'none',
    tls: { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) },
  };
}

export function resourceVariables(env: Variables): Readonly<Record<string, string>> {
  const name = present(env.OTEL_SERVICE_NAME);
  return { ...pairsIn(env.OTEL_RESOURCE_ATTRIBUTES), ...(name !== undefined && { 'service.name': name }) };
}

/** An endpoint of one signal is its whole address; to others the path is added. */
function urlOf(
  signal: 'traces' | 'metrics',
  { own, general }: { readonly own: string | undefined; readonly general: string | undefined },
): string {
  if (own !== undefined && isWebAddress(own)) return own;
  return signalUrl(general !== undefined && isWebAddress(general) ? general : DEFAULT_ENDPOINT, signal);
}

/** Only what can be a header: a request with another one could never be sent. */
function headersIn(written: string | undefined): Readonly<Record<string, string>> {
  const found = new Headers();
  for (const [name, value] of Object.entries(pairsIn(written))) {
    try {
      found.set(name, value);
    } catch {
      // Counts as absent.
    }
  }
  return Object.fromEntries(found);
}

/** Baggage's form: `a=1,b=two%20words`. */
function pairsIn(written = ''): Readonly<Record<string, string>> {
  const pairs = written.split(',').flatMap((part) => {
    const [, name, value = ''] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/s.exec(part) ?? [];
    return name === undefined ? [] : [[unescaped(name), unescaped(value)] as const];
  });
  return Object.fromEntries(pairs);
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function present(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}
