/** Answers of `/api/v1` that need only the process: its set-up, its judges, and the description of the API. */
import type { Settings } from '../../config/settings.ts';
import type { ServiceJson } from '../../api/facets.ts';
import { type Answer, jsonAnswer } from '../../report/http/answer.ts';
import type { ServiceViews } from './service-views.ts';
import { PROCESS_ROUTES, type ProcessSide } from '../api/routes.ts';
import { STORE_ROUTES } from './store-routes.ts';
import { judgesJson } from '../api/v1/judges.ts';
import { openApiOf } from '../api/v1/openapi.ts';

interface Process {
  readonly version: string;
  readonly settings: Settings;
  /** Settings that a reload may change. */
  readonly config: { readonly settings: Pick<Settings, 'judging' | 'page'> };
  readonly views: Pick<ServiceViews, 'calibration' | 'quality'>;
}

export function processAnswers({
  version,
  settings,
  config,
  views,
}: Process): Pick<ProcessSide, 'judges' | 'setup' | 'openApi'> {
  let described: Answer | undefined;
  return {
    judges: () => judgesJson(config.settings.judging, views.calibration.last),
    setup: () => ({
      ...setupOf(settings, version),
      ...linksOf(config.settings),
      withheld: withheldOf(views.quality.withheld()),
    }),
    // Always the same, and seldom asked for; making it takes this thread 10 ms.
    openApi: () => (described ??= jsonAnswer(200, openApiOf([...PROCESS_ROUTES, ...STORE_ROUTES], version))),
  };
}

/** Names of agents in the answer; metrics have their number. */
const NAMED_MAX = 100;

function withheldOf({ effort, criteria, buckets }: ServiceJson['withheld']): ServiceJson['withheld'] {
  const named = (agents: readonly string[]) => agents.slice(0, NAMED_MAX);
  return { effort: named(effort), criteria: named(criteria), buckets: named(buckets) };
}

function setupOf(
  { otlpGrpcPort, otlpHttpPort, kafka, project }: Settings,
  version: string,
): Omit<ServiceJson, 'withheld'> {
  return {
    version,
    ...(project === undefined ? {} : { project }),
    receiving: { otlp_grpc_port: otlpGrpcPort, otlp_http_port: otlpHttpPort, kafka: kafka !== undefined },
  };
}

function linksOf({ page: { traceUrl, dashboardUrl } }: Pick<Settings, 'page'>) {
  return {
    ...(traceUrl === undefined ? {} : { trace_url: traceUrl }),
    ...(dashboardUrl === undefined ? {} : { dashboard_url: dashboardUrl }),
  };
}
