/** The table of sections: a new one is listed here, and nowhere else. */
import { ACCESS } from './access-settings.ts';
import { ARCHIVE } from './archive-settings.ts';
import { ALERTS } from './alert-settings.ts';
import { CONVERSATION, TURN } from './conversation-settings.ts';
import { DETECTION } from './detection-settings.ts';
import { HTTP } from './http-settings.ts';
import { JOURNAL } from './intake-settings.ts';
import { JUDGING } from './judge-settings.ts';
import { KAFKA } from './kafka-settings.ts';
import { PAGE } from './page-settings.ts';
import { REDACTION } from './redaction-settings.ts';
import { RESULTS } from './result-settings.ts';
import { METRICS } from './score-settings.ts';
import { MODEL_PRICE_TABLE } from './price-settings.ts';
import { PROCESS, SERVICE, SUITES } from './service-settings.ts';
import { SHARED_STORE, STORE } from './store-settings.ts';
import { TLS } from './tls-settings.ts';
import { EXPORTERS } from './exporter-settings.ts';
import { TOOLS } from './tool-settings.ts';
import { TRUTH } from './truth-settings.ts';
import type { Section } from './section.ts';

/** Each is a member of `Settings`. */
export const SECTIONS = {
  http: HTTP,
  page: PAGE,
  tls: TLS,
  access: ACCESS,
  turn: TURN,
  conversation: CONVERSATION,
  journal: JOURNAL,
  store: STORE,
  metrics: METRICS,
  detection: DETECTION,
  alerts: ALERTS,
  results: RESULTS,
  archive: ARCHIVE,
  truth: TRUTH,
  tools: TOOLS,
  exporters: EXPORTERS,
  prices: MODEL_PRICE_TABLE,
  redaction: REDACTION,
  judging: JUDGING,
  kafka: KAFKA,
  sharedStore: SHARED_STORE,
};

/** Settings that stand in no mapping of the file are members of `Settings` themselves. */
export const TOP_SECTIONS = { service: SERVICE, suites: SUITES, process: PROCESS };

export const ALL_SECTIONS: readonly Section<unknown>[] = [
  ...Object.values<Section<unknown>>(TOP_SECTIONS),
  ...Object.values<Section<unknown>>(SECTIONS),
];
