/**
 * Notes in the table of a batch which conversation each span names, before the batch goes into its log: whoever keeps open turns
 * learns so which of them are of one conversation, and reads none of their bytes.
 */
import { conversationHash, conversationIdFrom } from '../model/conversation-id.ts';
import { BatchTable } from '../otlp/batch-table.ts';
import { PickedAttributes, shapesOf } from '../otlp/picked-attributes.ts';
import { indexCheckedTraces } from '../otlp/traces-reader.ts';
import { WireError } from '../otlp/wire.ts';
import { type IdKeys, idKeysOf } from '../normalize/id-keys.ts';
import { CONVERSATION_KEYS, conversationNamedBy, conversationNamedIn } from '../normalize/reading.ts';

interface NotedBatch {
  readonly signal: 'traces' | 'logs';
  readonly bytes: Uint8Array;
  /** Changed in place. */
  readonly table: Uint8Array;
}

const SPANS_OF_STEP = 256;
const NAMING = shapesOf(CONVERSATION_KEYS);

export class ConversationNotes {
  readonly #idKeys: IdKeys | undefined;
  #lastNamed = '';
  #lastHash = 0;

  constructor(idKeys: readonly string[]) {
    this.#idKeys = idKeysOf(idKeys);
  }

  note(batch: NotedBatch): void {
    for (const _ of this.noting(batch));
  }

  /** Notes a batch in steps of a few spans. */
  *noting({ signal, bytes, table }: NotedBatch): Generator<undefined> {
    // Log records come with spans of their trace, which say it.
    if (signal === 'logs') return;
    const rows = BatchTable.read(table);
    try {
      const namedBy = this.#idKeys === undefined ? fromAttributes(bytes, rows) : fromSpans(bytes, this.#idKeys);
      for (let row = 0; row < rows.rowCount; row += 1) {
        const named = namedBy(row);
        if (named !== undefined && named !== '') rows.noteConversation(row, this.#hashOf(named));
        if (row % SPANS_OF_STEP === SPANS_OF_STEP - 1) yield;
      }
    } catch (error) {
      // A span that cannot be read names nothing; the engine will say what is wrong with it.
      if (!(error instanceof WireError)) throw error;
    }
  }

  /** Most spans of a batch name the conversation that the span before them named. */
  #hashOf(named: string): number {
    if (named !== this.#lastNamed) {
      this.#lastNamed = named;
      this.#lastHash = conversationHash(conversationIdFrom(named));
    }
    return this.#lastHash;
  }
}

type NamedBy = (row: number) => string | undefined;

function fromAttributes(bytes: Uint8Array, rows: BatchTable): NamedBy {
  const picked = new PickedAttributes(bytes, NAMING);
  return (row) => {
    const attributes = picked.of(rows.start(row), rows.end(row));
    return attributes === undefined ? undefined : conversationNamedIn(attributes);
  };
}

/** The resource of a span may name its conversation too. */
function fromSpans(bytes: Uint8Array, idKeys: IdKeys): NamedBy {
  const index = indexCheckedTraces(bytes);
  return (row) => conversationNamedBy(index.view(row), idKeys);
}
