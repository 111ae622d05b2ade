/** Answers to reads that were refused: 429 where the client asks for too much, 503 where the service could not read. */
import { refusalOf, type Refusals } from '../refusals.ts';
import type { ReadRefusal } from '../../model/events/reading-events.ts';
import type { Answer } from '../../report/http/answer.ts';
import { READ_DEADLINE_MS, WAIT_MAX_MS, WAITING_MAX } from './read-limits.ts';

const REFUSED: Refusals = {
  queue_full: {
    status: 429,
    error: `${WAITING_MAX} requests wait to read the store already: ask again, less often or for smaller pages`,
  },
  displaced: {
    status: 429,
    error: 'other addresses want to read the store as well, and this one has the most requests waiting: ask again',
  },
  waited_too_long: { status: 503, error: `the request waited ${WAIT_MAX_MS / 1000} s for its turn to read the store` },
  took_too_long: {
    status: 503,
    error: `reading took longer than ${READ_DEADLINE_MS / 1000} s and was given up: ask for less, with limit= or since=`,
  },
  thread_ended: { status: 503, error: 'the thread that reads the store has failed, another one is starting' },
};

export function refusedRead(because: ReadRefusal): Answer {
  return refusalOf(REFUSED, because);
}
