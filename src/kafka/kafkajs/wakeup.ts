/** Wakes whoever waits, each time something has changed. */
export class Wakeup {
  #next: PromiseWithResolvers<void> = Promise.withResolvers();

  wake(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }

  /** Resolves at the next `raise`, or after that time. */
  async raisedOr(timeoutMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs);
    });
    await Promise.race([this.#next.promise, timeout]);
    clearTimeout(timer);
  }
}
