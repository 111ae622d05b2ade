/** Conversations in the formats of `export --as`, a line for each: of files, or of a store or service. */
import { visibleJson } from '../model/visible-text.ts';
import type { TraceSource } from '../normalize/normalize.ts';
import { type RecordedBatch, recordedMessages } from '../engine/recorded/recorded-batch.ts';
import { MemorySpool, type ReadableSpool, RecordingLog } from '../engine/recorded/recording-log.ts';
import { understandRecorded } from '../engine/recorded/understand-recording.ts';
import { readRecordings, redactRecorded } from '../offline/recording.ts';
import type { PlainConversation } from '../reader/plain-conversation.ts';
import { itemsOfMessages } from '../reader/response-items.ts';
import { toAtif } from '../reader/to-atif.ts';
import { headOf, toMessages } from '../reader/to-messages.ts';
import { toPlain } from '../reader/to-plain.ts';
import type { Settings } from '../config/settings.ts';

export const WRITERS: { readonly [format: string]: (conversation: PlainConversation) => object } = {
  conversations: (conversation) => conversation,
  atif: toAtif,
  messages: (conversation) => ({ ...headOf(conversation), messages: toMessages(conversation) }),
  responses: (conversation) => ({ ...headOf(conversation), items: itemsOfMessages(toMessages(conversation)) }),
};

type Writer = (conversation: PlainConversation) => object;

export async function* filesAs(write: Writer, files: readonly string[], settings: Settings) {
  const batches = redactRecorded(readRecordings(files), settings);
  yield* linesOf(write, await plainOf(batches, settings, new RecordingLog()));
}

export async function* storedAs(
  write: Writer,
  contents: AsyncIterable<readonly TraceSource[]>,
  settings: Settings,
): AsyncGenerator<Uint8Array> {
  for await (const sources of contents) {
    const batches = sources.flatMap(({ traces, logs }) =>
      recordedMessages({ traces: [traces], logs: logs === undefined ? [] : [logs] }),
    );
    yield* linesOf(write, await plainOf(batches, settings, new MemorySpool()));
  }
}

async function plainOf(
  batches: AsyncIterable<RecordedBatch> | Iterable<RecordedBatch>,
  { conversation }: Settings,
  spool: ReadableSpool,
): Promise<readonly PlainConversation[]> {
  const { conversations } = await understandRecorded(batches, { conversationKeys: conversation.idKeys, spool });
  return conversations.map(toPlain);
}

function* linesOf(write: Writer, conversations: readonly PlainConversation[]): Generator<Uint8Array> {
  for (const conversation of conversations) yield Buffer.from(`${visibleJson(write(conversation))}\n`);
}

/** The ids in lines of the export of conversations. */
export async function* idsIn(lines: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of lines) {
    const [last = '', ...whole] = (rest + decoder.decode(piece, { stream: true })).split('\n').toReversed();
    rest = last;
    // The cast holds: each line is an object with this field, of our own export.
    for (const line of whole.toReversed())
      yield (JSON.parse(line) as { readonly conversation_id: string }).conversation_id;
  }
}
