/** A record that could not be read, as it goes to the topic for such records: as it was, with where it came from and why. */

export interface UnreadableRecord {
  readonly offset: number;
  readonly timestamp: number;
  readonly key: Buffer | undefined;
  readonly value: Buffer | undefined;
  readonly headers: readonly { readonly key: string; readonly value: Buffer | undefined }[];
}

export interface DeadLetter {
  readonly key: Buffer | undefined;
  readonly value: Buffer;
  readonly headers: readonly { readonly key: string; readonly value: Buffer | undefined }[];
}

export const DEAD_LETTER_HEADERS = {
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
