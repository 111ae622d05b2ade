/**
 * When versions of agents were first used: when the first conversation of each began. Versions that an older Assay saw
 * have the log time of their first evaluation.
 */
import { z } from 'zod';
import { isFolded } from '../../../model/agent-labels.ts';
import { FIRST_BEGAN, QUALITY_METRICS } from '../../../report/metrics/quality-metrics.ts';
import type { ConversationReader } from '../../../store/conversation-reader.ts';

interface FirstSeen {
  readonly agent: string;
  readonly agentVersion: string;
  /** When its first conversation began. */
  readonly at: number;
}

const labelsSchema = z.object({ agent: z.string(), agent_version: z.string(), environment: z.string() });

/** Earliest first, simultaneous ones by name; without what stands for all others. */
export async function versionsFirstSeen(
  reader: Pick<ConversationReader, 'pages'>,
  isWanted: (labels: z.infer<typeof labelsSchema>) => boolean = () => true,
): Promise<readonly FirstSeen[]> {
  const first = new Map<string, FirstSeen>();
  const times = [
    ...(await reader.pages.firstTimes(FIRST_BEGAN)),
    ...(await reader.pages.firstTimes(QUALITY_METRICS.firstSeen.name)),
  ];
  for (const { labels: text, at } of times) {
    const labels = labelsSchema.parse(JSON.parse(text));
    if (isFolded(labels) || !isWanted(labels)) continue;
    const { agent, agent_version: agentVersion } = labels;
    const key = versionKey({ agent, agentVersion });
    const known = first.get(key);
    if (known === undefined || at < known.at) first.set(key, { agent, agentVersion, at });
  }
  return [...first.entries()]
    .toSorted(([x, a], [y, b]) => a.at - b.at || (x < y ? -1 : 1))
    .map(([, version]) => version);
}

export function versionKey({ agent, agentVersion }: Pick<FirstSeen, 'agent' | 'agentVersion'>): string {
  return JSON.stringify([agent, agentVersion]);
}
