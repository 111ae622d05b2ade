/** The tables of routes of the HTTP side: everything that can be asked of a running service, or written to it. */
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { service, type ServiceJson } from '../../api/facets.ts';
import { judges, type Judges } from '../../api/judges.ts';
import type { Acceptance, ChosenLevels } from '../../model/detection.ts';
import { type Answer, jsonAnswer, textAnswer, type Unavailable } from '../../report/http/answer.ts';
import { type Client, type Route, read, write } from '../../report/http/route.ts';
import type { Scraped, ScrapeRequest } from '../../report/metrics/exposition.ts';
import type { SuiteOutline } from '../../engine/suite-outline.ts';
import type { Readiness } from '../running/readiness.ts';
import type { ReloadOutcome } from '../running/reloading.ts';
import { forgetConversation, forgetNamed, type ForgetSide } from './forget-api.ts';
import { acceptLevels } from './accept-levels.ts';
import { FEEDBACK_ROUTE, type FeedbackSide } from './put-feedback.ts';
import { putFailures } from './put-failures.ts';
import { putLabels } from './put-labels.ts';
import { putOutcomes } from './put-outcomes.ts';
import { putReadings } from './put-readings.ts';
import { putTruth } from './put-truth.ts';
import { reloadConfiguration } from './reload-configuration.ts';

/** Answers that need only the process, whether or not it can do its work. */
export interface ProcessSide {
  /** Undefined where nobody waits for it any more. */
  readonly metrics: (request: ScrapeRequest) => Promise<Scraped | undefined>;
  readonly ready: () => ReturnType<Readiness['check']>;
  readonly reload: () => Promise<ReloadOutcome>;
  /** Versions and ports, for pages that say how to send spans here. */
  readonly setup: () => ServiceJson;
  /** Judges of the configuration, and how far people agree with them. */
  readonly judges: () => Judges;
  /** Conversations as they are evaluated; the answer goes on. */
  readonly live: (client: Client) => Answer;
  /** The description of `/api/v1`. */
  readonly openApi: () => Answer;
}

/** Writes to an open store. */
export interface WriteSide extends FeedbackSide {
  readonly liveSuites: () => readonly SuiteOutline[];
  readonly accept: (chosen: ChosenLevels) => Promise<Acceptance | Unavailable>;
}

export const PROCESS_ROUTES: readonly Route<ProcessSide>[] = [
  read(
    '/metrics',
    'Prometheus metrics (OpenMetrics with exemplars if asked for)',
    async (side, { request, client }) => {
      const isWanted = () => !client.gone.aborted;
      const scraped = await side.metrics({ accept: request.headers.accept, scraper: scraperOf(request), isWanted });
      if (scraped === undefined) return textAnswer(503, 'the client has gone\n');
      const { contentType, texts, noteTaken } = scraped;
      return { status: 200, type: contentType, body: '', pieces: { texts, onSent: noteTaken } };
    },
  ),
  read('/healthz', 'the process is there', () => textAnswer(200, 'ok\n'), { takes: 'nothing' }),
  read(
    '/readyz',
    'all of it has started, and the pipeline moves',
    (side) => {
      const { ready, reasons } = side.ready();
      return textAnswer(ready ? 200 : 503, ready ? 'ready\n' : `${reasons.join('\n')}\n`);
    },
    { takes: 'nothing' },
  ),
  {
    ...read('/api/v1/service', 'version, the ports that receive spans, and where traces can be seen', ({ setup }) =>
      jsonAnswer(200, setup()),
    ),
    shapes: { query: z.strictObject({}), answer: service },
  },
  {
    ...read('/api/v1/live', 'server-sent events: conversations as they are evaluated', ({ live }, { client }) =>
      live(client),
    ),
    shapes: { query: z.strictObject({}), answer: undefined, type: 'text/event-stream' },
  },
  {
    ...read('/api/v1/judges', 'the judges, and how far people agree with them', ({ judges: known }) =>
      jsonAnswer(200, known()),
    ),
    shapes: { query: z.strictObject({}), answer: judges },
  },
  read('/api/v1/openapi.json', 'all of /api/v1 as OpenAPI 3.1', ({ openApi }) => openApi()),
  write('POST', '/api/v1/reload', '{}: read suites and settings again', { takes: 'admin' }, reloadConfiguration),
];

/** Answered in the main thread, which has the journal. */
export const FORGET_ROUTES: readonly Route<ForgetSide>[] = [
  write(
    'DELETE',
    '/api/v1/conversations/{conversation...}',
    '?dry_run=true&drop_set_aside=true forget a conversation: docs/operate/security.md says what goes, and when',
    { takes: 'admin' },
    forgetConversation,
  ),
  write(
    'POST',
    '/api/v1/forget',
    '{conversation | user, dry_run?, drop_set_aside?}: forget a conversation, or all of a user',
    { takes: 'admin' },
    forgetNamed,
  ),
];

/** Answered in the main thread, which sends them to the store's writer. */
export const STORE_WRITES: readonly Route<WriteSide>[] = [
  write(
    'PUT',
    '/v1/truth/{conversation}',
    'any JSON: what is right for the conversation, as `truth` in suites; null takes it away again',
    { takes: 'review' },
    putTruth,
  ),
  write(
    'PUT',
    '/v1/labels/{conversation}',
    '{suite, criterion, label: pass|fail|not_applicable|null, by, turn_id?, note?}, or a list: what a person says',
    { takes: 'review' },
    putLabels,
  ),
  write(
    'PUT',
    '/v1/outcomes',
    '{conversation_id, label, good: true|false|null, value?, case?, certain?}, or a list: what came of conversations in the world',
    { takes: 'review' },
    putOutcomes,
  ),
  write(
    'PUT',
    '/v1/readings',
    '{conversation_id, answer: good|bad|cannot_tell|null, by, first_wrong?, note?, kind?}, or a list: did it go well for its user?',
    { takes: 'review' },
    putReadings,
  ),
  write(
    'PUT',
    '/v1/failures',
    '{agent, kind, state: open|watched|mended} or {agent, kind, into}: how far a kind of failure is, or its new name',
    { takes: 'review' },
    putFailures,
  ),
  FEEDBACK_ROUTE,
  write(
    'POST',
    '/api/v1/detection/accept',
    '{agent, suite, environment?, metric?, criterion?}: a regressed level was meant; it is what to expect from now on',
    { takes: 'admin' },
    acceptLevels,
  ),
];

const SCRAPER_NAME_MAX = 200;

/**
 * Scrapers send how long they will wait; a request without it comes from a browser or curl, which wants to see what there is.
 * Not the port, which is another one each time.
 */
function scraperOf({ method, socket, headers }: IncomingMessage): string | undefined {
  if (method === 'HEAD' || headers['x-prometheus-scrape-timeout-seconds'] === undefined) return undefined;
  return `${socket.remoteAddress ?? ''} ${(headers['user-agent'] ?? '').slice(0, SCRAPER_NAME_MAX)}`;
}
