/** Between two tries of something that failed and has to succeed: long enough not to press on what is down, short enough that nobody waits for it afterwards. */
export const RETRY_PAUSE_MS = 1000;
