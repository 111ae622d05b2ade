/** Where what evaluations say goes as OpenTelemetry events, and what is sent with it. */
import { z } from 'zod';
import { address, headers, signalUrl } from './otlp-address.ts';
import { section } from './section.ts';
import { choice, setting } from './setting.ts';

/** Time for one request, as SDKs have it. A receiver that is slower than that is away; results wait for it and lose nothing. */
const TIMEOUT_MS = 10_000;

/** Undefined where nothing is to be sent. */
export const RESULTS = section('reload', 'Evaluations as OpenTelemetry events (results.md).', {
  endpoint: address(
    { key: 'results.endpoint', variable: 'ASSAY_RESULTS_ENDPOINT', example: 'http://collector:4318' },
    'Base address of an OTLP/HTTP receiver; without one nothing is sent.',
  ),
  headers: headers({ key: 'results.headers_file', variable: 'ASSAY_RESULTS_HEADERS' }),
  format: choice(
    ['opentelemetry', 'openinference'],
    { key: 'results.format', variable: 'ASSAY_RESULTS_FORMAT', default: 'opentelemetry', rare: true },
    'openinference is for Phoenix and Arize.',
  ),
  project: setting(
    { key: 'results.project', example: 'shop', rare: true },
    'Project of Phoenix; its default one unless given.',
    z.string('a name').max(200, 'a name of at most 200 characters'),
  ),
}).build(({ endpoint, ...results }, sources) => {
  const project = results.project === '' ? undefined : results.project;
  if (project !== undefined && results.format !== 'openinference')
    sources.mistake('results.project', 'only OpenInference has projects', 'results.format: openinference as well');
  if (endpoint === undefined) return undefined;
  // OpenInference goes to the receiver of traces.
  return {
    ...results,
    project,
    timeoutMs: TIMEOUT_MS,
    url: signalUrl(endpoint, results.format === 'openinference' ? 'traces' : 'logs'),
  };
});
