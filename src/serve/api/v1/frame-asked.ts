/** The window that a query asks for: a week unless it says. */
import type { z } from 'zod';
import type { estimateQuery } from '../../../api/estimate.ts';
import type { FrameQuery } from '../../../store/frame-reader.ts';
import { WEEK_MS } from '../../../engine/estimate/window-estimate.ts';

type Asked = Omit<z.output<typeof estimateQuery>, 'explain'>;

export function frameQueryOf({ agent, agent_version, environment, segment, since, until }: Asked): FrameQuery {
  const end = until ?? Date.now();
  return { agent, agentVersion: agent_version, environment, segment, since: since ?? end - WEEK_MS, until: end };
}
