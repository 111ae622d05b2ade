/** Reads the answer of a remote HTTP server: enough for a log line, and the time of the next attempt. */
const RETRY_AFTER_MAX_MS = 3_600_000;
/** Text of an answer, for the log. */
const ANSWER_BYTES_MAX = 1024;

export async function beginningOf(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const parts: Uint8Array[] = [];
  let length = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    parts.push(next.value);
    length += next.value.length;
    if (length >= ANSWER_BYTES_MAX) break;
  }
  await reader.cancel();
  return Buffer.concat(parts).subarray(0, ANSWER_BYTES_MAX).toString().trim();
}

/** At most an hour. */
export function retryAfterMs(response: Response): number {
  const asked = response.headers.get('retry-after') ?? '';
  const ms = /^\d+$/.test(asked) ? Number(asked) * 1000 : Date.parse(asked) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), RETRY_AFTER_MAX_MS) : 0;
}

/** fetch says only that it failed; the reason is its cause. The URL, which may be a secret, is in neither. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error) return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
  return error.message;
}

/** Twice as long after each failure, with jitter, so that many who wait do not come back together. */
export function backoffMs(attempt: number, { first, most }: { readonly first: number; readonly most: number }): number {
  return Math.min(most, first * 2 ** Math.min(attempt - 1, 20)) * (0.5 + Math.random() / 2);
}
