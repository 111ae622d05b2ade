/** The window that a query asks for: a week unless it says. */
import type { z } from 'zod';
import type { estimateQuery } from '../../../api/estimate.ts';
import type { FrameQuery } from '../../../store/frame-reader.ts';

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

type Asked = Omit<z.output<typeof estimateQuery>, 'explain'>;

export function frameQueryOf({ agent, agent_version, environment, segment, since, until }: Asked): FrameQuery {
  const end = until ?? Date.now();
  return { agent, agentVersion: agent_version, environment, segment, since: since ?? end - WEEK_MS, until: end };
}
