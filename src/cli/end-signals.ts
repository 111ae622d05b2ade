/**
 * SIGINT and SIGTERM of a service. The listeners stay, and what they do is replaced: Node forgets a signal that came while
 * the thread was busy, if the listener is another one by the time that it is told.
 */
type OnSignal = (signal: string) => void;

let act: OnSignal = endAtOnce;
let isHeard = false;

/** While a service starts there is nothing to finish, and a second signal does not wait for a stop. */
export function endAtOnce(): void {
  process.exit(130);
}

/** The first process of a container hears only the signals that it has asked for. */
export function onEndSignal(next: OnSignal): void {
  act = next;
  if (isHeard) return;
  isHeard = true;
  for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => act(name));
}
