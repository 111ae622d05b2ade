import { createRequire } from 'node:module';
import { expect, onTestFinished, test } from 'vitest';
import '../../../src/kafka/kafkajs/internals.ts';

interface Queue {
  readonly pending: unknown[];
  readonly throttledUntil: number;
  throttleCheckTimeoutId: (NodeJS.Timeout & { readonly _idleTimeout?: number }) | null;
  scheduleCheckPendingRequests(): void;
  maybeThrottle(ms: number): void;
}

const RequestQueue = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as new (
  options: object,
) => Queue;

function aQueue(): Queue {
  const queue = new RequestQueue({
    maxInFlightRequests: 1,
    requestTimeout: 1000,
    enforceRequestTimeout: false,
    clientId: 'test',
    broker: 'localhost:9092',
    logger: { debug: () => undefined },
  });
  onTestFinished(() => clearTimeout(queue.throttleCheckTimeoutId ?? undefined));
  return queue;
}

test('no timer is started where no request waits', () => {
  const queue = aQueue();

  queue.scheduleCheckPendingRequests();

  expect(queue.throttledUntil).toBe(-1);
  expect(queue.throttleCheckTimeoutId).toBeNull();
});

test('requests that wait are looked at soon, or when the broker takes requests again', () => {
  const [soon, throttled] = [aQueue(), aQueue()];
  soon.pending.push({});
  throttled.pending.push({});
  throttled.maybeThrottle(60_000);

  soon.scheduleCheckPendingRequests();
  throttled.scheduleCheckPendingRequests();

  expect(soon.throttleCheckTimeoutId?._idleTimeout).toBe(10);
  expect(throttled.throttleCheckTimeoutId?._idleTimeout).toBeGreaterThan(10);
});
