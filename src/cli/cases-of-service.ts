/** Read conversations of the running service, for a search for criteria (`src/learn`). */
import { buildConversation } from '../assemble/build-conversation.ts';
import { readingList } from '../api/estimate.ts';
import { turnsOfTrace } from '../engine/turns-of-trace.ts';
import { idKeysOf } from '../normalize/id-keys.ts';
import { clusterOf, type ReadCase } from '../learn/read-case.ts';
import type { ReadRecording } from '../offline/read-cases.ts';
import { spansOfService } from './conversation-of-service.ts';
import { ask, reading, type ServiceFlags, serviceOf } from './running-service.ts';
import type { Terminal } from './terminal.ts';

export async function casesOfService(
  flags: ServiceFlags,
  query: URLSearchParams,
  terminal: Terminal,
): Promise<ReadRecording> {
  const service = serviceOf(flags);
  const idKeys = idKeysOf(service.settings.conversation.idKeys);
  const { items } = readingList.parse(
    await ask(new URL(`/api/v1/readings?${query}`, service.url), reading(service.token)),
  );
  const cases: ReadCase[] = [];
  for (const { conversation_id: id, answer, chance, kind, called_fine: isCalledFine, failed, notes } of items) {
    terminal.progress(`${cases.length} of ${items.length} read conversations loaded`);
    const turns = (await spansOfService(id, service)).flatMap((trace) => turnsOfTrace(trace, idKeys));
    if (answer === 'unclear' || turns.length === 0) continue;
    // The brand of the id is put on by the service that named it.
    const conversation = buildConversation(id as Parameters<typeof buildConversation>[0], turns);
    const weight = chance === undefined ? 0 : 1 / chance;
    const isBad = answer === 'bad';
    cases.push({ conversation, isBad, kind, weight, cluster: clusterOf(conversation), isCalledFine, failed, notes });
  }
  terminal.progressDone();
  return { cases, traffic: cases.map(({ conversation }) => conversation) };
}
