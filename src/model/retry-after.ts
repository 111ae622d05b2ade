/**
 * How long a client is told to wait before it sends again. A start, a stop, or a thread that is started again takes about as long; and an exporter
 * that would have to wait longer than its timeout drops the batch at once.
 */
export const RETRY_AFTER_SECONDS = 1;
