/** A record that could not be read, as it goes to the topic for such records: as it was, with where it came from and why; and back. */

interface UnreadableRecord {
  readonly offset: number;
  readonly timestamp: number;
  readonly key: Buffer | undefined;
  readonly value: Buffer | undefined;
  readonly headers: readonly { readonly key: string; readonly value: Buffer | undefined }[];
}

interface DeadLetter {
  readonly key: Buffer | undefined;
  readonly value: Buffer;
  readonly headers: readonly { readonly key: string; readonly value: Buffer | undefined }[];
}

const DEAD_LETTER_HEADERS = {
  topic: 'assay.topic',
  partition: 'assay.partition',
  offset: 'assay.offset',
  timestamp: 'assay.timestamp',
  reason: 'assay.reason',
} as const;

const REASON_LENGTH_MAX = 1000;

export function deadLetterOf(
  place: { readonly topic: string; readonly partition: number },
  record: UnreadableRecord,
  reason: string,
): DeadLetter {
  const names = DEAD_LETTER_HEADERS;
  const said: readonly (readonly [string, string])[] = [
    [names.topic, place.topic],
    [names.partition, String(place.partition)],
    [names.offset, String(record.offset)],
    [names.timestamp, String(record.timestamp)],
    [names.reason, reason.slice(0, REASON_LENGTH_MAX).toWellFormed()],
  ];
  return {
    key: record.key,
    value: record.value ?? Buffer.alloc(0),
    headers: [...record.headers, ...said.map(([key, value]) => ({ key, value: Buffer.from(value) }))],
  };
}

/** A dead letter as it is found in its topic. */
export interface FoundLetter {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly timestamp: number;
  readonly reason: string;
  /** Headers of the record, before ours were added. */
  readonly headers: UnreadableRecord['headers'];
}

/** Undefined where somebody else wrote it. Where a record had such headers before, for it was replayed, the last ones count. */
export function tryReadDeadLetter({ headers }: Pick<UnreadableRecord, 'headers'>): FoundLetter | undefined {
  const own = Object.values(DEAD_LETTER_HEADERS);
  const said = new Map(headers.slice(-own.length).map(({ key, value }) => [key, value?.toString('utf8') ?? '']));
  const topic = said.get(DEAD_LETTER_HEADERS.topic);
  const numbers = [DEAD_LETTER_HEADERS.partition, DEAD_LETTER_HEADERS.offset, DEAD_LETTER_HEADERS.timestamp].map(
    (name) => Number(said.get(name) ?? Number.NaN),
  );
  const [partition, offset, timestamp] = numbers;
  const reason = said.get(DEAD_LETTER_HEADERS.reason);
  if (
    topic === undefined ||
    reason === undefined ||
    partition === undefined ||
    offset === undefined ||
    timestamp === undefined
  )
    return undefined;
  if (!numbers.every(Number.isSafeInteger)) return undefined;
  return { topic, partition, offset, timestamp, reason, headers: headers.slice(0, -own.length) };
}
