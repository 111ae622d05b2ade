/** Replaces what a signal does in the moment in which the signal comes, as a start does when it is over. */
import { setTimeout as sleep } from 'node:timers/promises';
import { endAtOnce, onEndSignal } from '../../src/cli/end-signals.ts';

/** A signal is there long before. */
const BUSY_MS = 500;

onEndSignal(endAtOnce);
await sleep(50);
process.send?.('busy');
const until = Date.now() + BUSY_MS;
while (Date.now() < until);
onEndSignal(() => process.exit(7));
await sleep(5_000);
process.exit(1);
