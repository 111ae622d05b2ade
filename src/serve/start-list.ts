/**
 * What a program consists of, in the order in which it starts. Each part gets the parts before it that it names, so a part cannot refer to one that
 * does not exist yet: that does not compile. Stopping is the list backwards. If a part fails to start, the parts before it are stopped.
 */
interface AnyPart {
  readonly name: string;
  readonly needs: readonly string[];
  start(given: Readonly<Record<string, unknown>>): unknown;
  stop?(started: unknown): unknown;
}

interface Started<Parts> {
  readonly parts: Parts;
  /** May be called twice. */
  stop(): Promise<void>;
}

export class StartList<Parts extends object> {
  readonly #parts: readonly AnyPart[];

  private constructor(parts: readonly AnyPart[]) {
    this.#parts = parts;
  }

  static empty(): StartList<object> {
    return new StartList([]);
  }

  /** `needs` are the parts that `start` is given; `stop` is given the part itself. */
  add<const Name extends string, Needs extends keyof Parts & string, Part>(part: {
    readonly name: Name;
    readonly needs: readonly Needs[];
    start(given: Pick<Parts, Needs>): Part | Promise<Part>;
    stop?(started: Part): unknown;
  }): StartList<Parts & { readonly [K in Name]: Part }> {
    // The cast forgets the types that this signature has checked.
    return new StartList([...this.#parts, part as unknown as AnyPart]);
  }

  async start(): Promise<Started<Parts>> {
    const parts: Record<string, unknown> = {};
    const stops: (() => unknown)[] = [];
    let stopping: Promise<void> | undefined;
    const stopAll = async () => {
      for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
    };
    const stop = () => {
      stopping ??= stopAll();
      return stopping;
    };
    try {
      for (const part of this.#parts) {
        const started = await part.start(Object.fromEntries(part.needs.map((name) => [name, parts[name]])));
        parts[part.name] = started;
        stops.push(() => part.stop?.(started));
      }
    } catch (error) {
      await stop();
      throw error;
    }
    // The cast holds because every part was added under its name.
    return { parts: parts as Parts, stop };
  }
}
