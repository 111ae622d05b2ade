/** The table of what `/api/v1` reads from the store for the page and for programs: `src/api` has the shapes. */
import type { RemoteRead } from '../../../report/http/route.ts';
import { getConversationDetail, getWholeText } from './conversation-detail.ts';
import { getCommon } from './list-finds.ts';
import { listConversations } from './conversation-list.ts';
import { getDatasetCase, getGoldenDraft } from './kept-run.ts';
import { getDetections } from './detections.ts';
import { getEstimate } from './estimate.ts';
import { listExporters } from './exporter-list.ts';
import { getExcerpt } from './excerpt.ts';
import { getFacets } from './facets.ts';
import { getFailures } from './failures.ts';
import { getFeedback } from './feedback-figures.ts';
import { getJudging } from './judging.ts';
import { getFleet } from './fleet.ts';
import { getFinds } from './finds.ts';
import { getMoved } from './moved.ts';
import { getAgreement } from './review-agreement.ts';
import { listReadings } from './reading-list.ts';
import { getReadingQueue } from './reading-queue.ts';
import { getReviewQueue } from './review-queue.ts';
import { getStepSources } from './step-sources.ts';
import { getSubAgents } from './sub-agents.ts';
import { listSuites } from './suite-list.ts';
import { getTrend } from './trend.ts';
import type { V1Side } from './v1-side.ts';

export const V1_READS: readonly RemoteRead<V1Side>[] = [
  listConversations,
  getConversationDetail,
  getWholeText,
  getStepSources,
  getExcerpt,
  getFacets,
  listExporters,
  getFeedback,
  getEstimate,
  getReadingQueue,
  getFinds,
  getCommon,
  listReadings,
  getFailures,
  listSuites,
  getFleet,
  getTrend,
  getMoved,
  getSubAgents,
  getDetections,
  getJudging,
  getReviewQueue,
  getAgreement,
  getGoldenDraft,
  getDatasetCase,
];
