/**
 * The table of everything that is read from the store. All of it is answered in the reading thread
 * (reading/reading-thread.ts), because reading must not keep the main thread from receiving. So a handler has nothing of
 * the request except its query and its path.
 */
import { jsonAnswer } from '../../report/http/answer.ts';
import { type RemoteRead, readStored } from '../../report/http/route.ts';
import { type ConversationApi, getConversation, listConversations } from './conversation-api.ts';
import { listShadows } from './shadow-api.ts';
import { getSpans } from './spans-api.ts';
import { V1_READS } from './v1/v1-reads.ts';
import type { V1Side } from './v1/v1-side.ts';

export interface ReadSide extends V1Side {
  readonly conversations: ConversationApi;
  /** Regressions, and the state of the detectors. */
  readonly detection: () => Promise<unknown>;
}

export const STORE_READS: readonly RemoteRead<ReadSide>[] = [
  readStored(
    '/api/conversations',
    `?outcome= &agent= &agent_version= &segment= &suite= &criterion= (that failed)
&since=24h &limit=
a page of conversations, each with the score, outcome and decided_share of its evaluations, and what they
are about (form says nothing about the task); go on with &before=<next> until next is null`,
    listConversations,
  ),
  readStored(
    '/api/conversations/{conversation...}',
    "one conversation's evaluations: verdicts, reasons, evidence  ?revisions=all",
    getConversation,
  ),
  readStored(
    '/api/v1/spans/{conversation...}',
    "one conversation's spans and log records as they are stored: OTLP in base64",
    getSpans,
  ),
  readStored(
    '/api/detection',
    'the open alarms: what fell or rose, since when and why; the last changes of the detectors',
    async (side) => jsonAnswer(200, await side.detection()),
  ),
  readStored(
    '/api/v1/shadow',
    `what suites in shadow say beside the live ones  ?suite= &agent= &agent_version= &since=24h
&limit= (the latest evaluations) &changed= (conversations to name)`,
    listShadows,
  ),
  ...V1_READS,
];
