/** Where what evaluations say goes as OpenTelemetry events, and what is sent with it. */
import { z } from 'zod';
import { addressSchema, readHeaders, signalUrl } from './otlp-address.ts';
import { durationMs } from './quantities.ts';
import type { SecretPlaces } from './secrets.ts';
import type { Sources } from './sources.ts';

export const RESULT_FORMATS = ['opentelemetry', 'openinference'] as const;
export type ResultFormat = (typeof RESULT_FORMATS)[number];

export interface ResultSettings {
  /** Of the OTLP/HTTP receiver: for logs, or of OpenInference for traces. */
  readonly url: string;
  readonly format: ResultFormat;
  /** Of Phoenix; undefined is its default one. */
  readonly project: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

const SECOND = 1000;

/** Undefined where nothing is to be sent. */
export function readResults(sources: Sources, places: SecretPlaces): ResultSettings | undefined {
  const place = { key: 'results.endpoint', variable: 'ASSAY_RESULTS_ENDPOINT' };
  const { value: endpoint } = sources.read<string>(place, addressSchema, '');
  const headers = readHeaders(sources, places, 'results.headers', 'ASSAY_RESULTS_HEADERS');
  const timeoutMs = sources.read(
    { key: 'results.timeout' },
    durationMs({ min: 100, max: 60 * SECOND }),
    10 * SECOND,
  ).value;
  const formatName = { key: 'results.format', variable: 'ASSAY_RESULTS_FORMAT' };
  const format = sources.read(formatName, formatSchema, 'opentelemetry').value;
  const { value: project, origin } = sources.read<string>({ key: 'results.project' }, projectSchema, '');
  if (project !== '' && format !== 'openinference') {
    const problem = 'only OpenInference has projects';
    sources.mistake({ key: 'results.project' }, origin, problem, 'results.format: openinference as well');
  }
  if (endpoint === '') return undefined;
  const url = signalUrl(endpoint, format === 'openinference' ? 'traces' : 'logs');
  return { url, format, project: project === '' ? undefined : project, headers, timeoutMs };
}

const formatSchema = z.enum(RESULT_FORMATS, `one of ${RESULT_FORMATS.join(', ')}`);
const projectSchema = z.string('a name').max(200, 'a name of at most 200 characters');
