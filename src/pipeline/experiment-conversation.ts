/** The conversation of a run, from the spans that its experiment kept. */
import type { Settings } from '../config/settings.ts';
import type { Conversation } from '../model/conversation.ts';
import type { CaseRun } from '../model/experiment.ts';
import { readSpansOf } from '../store/experiment/read-experiment.ts';
import type { Exchange } from './preferring.ts';
import { protobufBatch, type RecordedBatch } from './recording.ts';
import { understandRecorded } from './understand.ts';

export interface ExperimentReader {
  /** Undefined where nothing of it was kept. */
  conversationOf(folder: string, run: CaseRun): Promise<Conversation | undefined>;
  exchangeOf(folder: string, run: CaseRun): Promise<Exchange | undefined>;
}

export function experimentReader({ conversation }: Pick<Settings, 'conversation'>): ExperimentReader {
  const conversationOf = async (folder: string, run: CaseRun) => {
    const { conversations } = await understandRecorded(batchesOf(folder, run), {
      conversationKeys: conversation.idKeys,
    });
    return conversations.find(({ id }) => id === run.conversationId);
  };
  return {
    conversationOf,
    exchangeOf: async (folder, run) => {
      const found = await conversationOf(folder, run);
      return found === undefined ? undefined : exchangeIn(found);
    },
  };
}

function* batchesOf(folder: string, run: CaseRun): Generator<RecordedBatch> {
  const { traces, logs } = readSpansOf(folder, run);
  for (const bytes of traces) yield protobufBatch('traces', bytes);
  for (const bytes of logs) yield protobufBatch('logs', bytes);
}

/** What was asked and answered, turn by turn where there are several. */
function exchangeIn({ turns }: Conversation): Exchange {
  const all = (texts: readonly string[]) =>
    texts.length === 1 ? (texts[0] ?? '') : texts.map((text, index) => `${index + 1}. ${text}`).join('\n\n');
  return {
    request: all(turns.map(({ userInput }) => userInput.text)),
    answer: all(turns.map(({ finalAnswer }) => finalAnswer.text)),
  };
}
