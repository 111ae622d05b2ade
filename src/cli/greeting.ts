/**
 * Text that `assay serve` prints once it has started: where it listens, what it will do with the first span, and where
 * to look.
 */
import path from 'node:path';
import { describeRedaction } from '../engine/redaction-rules.ts';
import type { Service } from '../serve/service.ts';
import type { Loaded } from './load.ts';
import { version } from './version.ts';

/** Addresses that listen on all interfaces, and to which nobody can send. */
const ANY_ADDRESS = ['0.0.0.0', '::'];

/** Other commands ask the service at 127.0.0.1 unless they are given a URL. */
const ASKED_HOSTS = ['127.0.0.1', 'localhost'];
const DEFAULT_HTTP_PORT = 4319;

/** The command as people type it: by npx in a clone and in a project, by its name in the image. */
const CALLED_AS = /\.ts$|[\\/]node_modules[\\/]/.test(import.meta.filename) ? 'npx assay' : 'assay';

export function greeting(
  { settings, suites }: Pick<Loaded, 'settings' | 'suites'>,
  { ports }: Pick<Service, 'ports'>,
): string {
  const listens = (port: number) => `${inUrl(settings.host)}:${port}`;
  const at = (port: number) => `${ANY_ADDRESS.includes(settings.host) ? '<this host>' : inUrl(settings.host)}:${port}`;
  const seconds = (ms: number) => `${ms / 1000} s`;
  const turnSuites = suites.filter(({ scope }) => scope === 'turn').map(({ name }) => name);
  const conversationSuites = suites.filter(({ scope }) => scope === 'conversation').map(({ name }) => name);
  const { kafka, sharedStore } = settings;
  const topics = [...(kafka?.topics.spans ?? []), ...(kafka?.topics.logs ?? [])].join(', ');
  const accepts = kafka === undefined || kafka.accept;
  const spansIn = [
    ...(kafka?.read === true ? [`Kafka      ${topics} at ${kafka.brokers.join(', ')}, group ${kafka.group}`] : []),
    ...(accepts
      ? [
          `OTLP/HTTP  http://${listens(ports.otlpHttp)}    OTLP/gRPC  ${listens(ports.otlpGrpc)}${kafka === undefined ? '' : `, on to ${topics}`}`,
        ]
      : []),
  ].join('\n              ');
  const dataIn = sharedStore === undefined ? settings.dataDir : `${sharedStore.url}, as instance ${settings.instance}`;
  if (kafka?.read === false) {
    return `Assay ${version}

  spans in    ${spansIn}
  look at     http://${at(ports.http)}/metrics
  redacted    ${describeRedaction(settings.redaction)}

  This instance takes OTLP and writes it to Kafka; others read and score it.
  Point an agent here:   OTEL_EXPORTER_OTLP_ENDPOINT=http://${at(ports.otlpHttp)}
`;
  }
  return `Assay ${version}

  spans in    ${spansIn}
  look at     http://${at(ports.http)}/    http://${at(ports.http)}/metrics
  data in     ${dataIn}
  redacted    ${describeRedaction(settings.redaction)}${projectsLine(settings, ports)}

  A turn is scored ${seconds(settings.turn.settleMs)} after its last span${bySuites(turnSuites, ' ')};
  a conversation at its end mark, or ${seconds(settings.conversation.idleMs)} after its last turn${bySuites(conversationSuites, ', ')}.
${
  accepts
    ? `  Point an agent here:   OTEL_EXPORTER_OTLP_ENDPOINT=http://${at(ports.otlpHttp)}
`
    : ''
}  Ask why one failed:    ${CALLED_AS} explain <conversation>${storeFlag(settings) ?? serviceFlag(settings, ports)}
  See what is missing:   ${CALLED_AS} doctor${serviceFlag(settings, ports)}
`;
}

/** Other projects of the process; none where it has the default one alone. */
function projectsLine({ projects }: Loaded['settings'], { http }: Service['ports']): string {
  if (projects.length === 0) return '';
  const [first] = projects;
  return `\n  projects    ${projects.map(({ name }) => name).join(', ')}, such as http://${first?.name}.localhost:${http}/`;
}

function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** The flag by which other commands find this service; empty if they ask there anyway. */
export function serviceFlag(
  { host, tls }: Pick<Loaded['settings'], 'host' | 'tls'>,
  { http }: Pick<Service['ports'], 'http'>,
): string {
  const isAsked = tls === undefined && [...ANY_ADDRESS, ...ASKED_HOSTS].includes(host);
  if (isAsked) return http === DEFAULT_HTTP_PORT ? '' : ` --http-port ${http}`;
  const named = ANY_ADDRESS.includes(host) ? '127.0.0.1' : inUrl(host);
  return ` --url ${tls === undefined ? 'http' : 'https'}://${named}:${http}`;
}

/** The flag by which other commands find the store; undefined if they look there anyway. */
function storeFlag({ dataDir, sharedStore }: Loaded['settings']): string | undefined {
  const isFound =
    sharedStore !== undefined || dataDir === path.resolve('data') || process.env.ASSAY_DATA_DIR !== undefined;
  return isFound ? undefined : ` --data-dir ${dataDir}`;
}

/** ` by the suites default and honesty`; nothing where there are none. */
function bySuites(names: readonly string[], before: string): string {
  if (names.length === 0) return '';
  return `${before}by the ${names.length === 1 ? 'suite' : 'suites'} ${new Intl.ListFormat('en').format(names)}`;
}
