/**
 * Parts of a program, in the order in which they start. Each part gets the parts before it that it names, so a part
 * cannot refer to one that does not exist yet, and no name can be taken twice: neither compiles. Stopping is the list
 * backwards, all of it: a part that fails to stop keeps no other from stopping. If a part fails to start, the parts
 * before it are stopped, and that failure is what is thrown.
 */
import { errorMessage } from '../model/error-message.ts';
interface AnyPart {
  readonly name: string;
  readonly needs: readonly string[];
  start(given: Readonly<Record<string, unknown>>): unknown;
  stop?(started: unknown): unknown;
}

interface Started<Parts> {
  readonly parts: Parts;
  /** Stops all parts, then rejects if one of them failed to stop. May be called twice. */
  stop(): Promise<void>;
}

/** A name that no part has yet. */
type NewName<Name extends string, Parts> = Name extends keyof Parts ? never : Name;

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
    readonly name: NewName<Name, Parts>;
    readonly needs: readonly Needs[];
    start(given: Pick<Parts, Needs>): Part | Promise<Part>;
    stop?(started: Part): unknown;
  }): StartList<Parts & { readonly [K in Name]: Part }> {
    // The cast forgets the types that this signature has checked.
    return new StartList([...this.#parts, part as unknown as AnyPart]);
  }

  async start(): Promise<Started<Parts>> {
    const parts: Record<string, unknown> = {};
    const running: { readonly part: AnyPart; readonly started: unknown }[] = [];
    let stopping: Promise<readonly Error[]> | undefined;
    const stopAll = () => {
      stopping ??= stopped(running.toReversed());
      return stopping;
    };
    try {
      for (const part of this.#parts) {
        const started = await part.start(Object.fromEntries(part.needs.map((name) => [name, parts[name]])));
        parts[part.name] = started;
        running.push({ part, started });
      }
    } catch (error) {
      const failures = await stopAll();
      throw failures.length === 0 ? error : new AggregateError([error, ...failures], joined([error, ...failures]));
    }
    const stop = async () => {
      const failures = await stopAll();
      if (failures.length > 0) throw new AggregateError(failures, joined(failures));
    };
    // The cast holds because every part was added under its name.
    return { parts: parts as Parts, stop };
  }
}

/** Stops one after the other, and gives the failures. */
async function stopped(
  running: readonly { readonly part: AnyPart; readonly started: unknown }[],
): Promise<readonly Error[]> {
  const failures: Error[] = [];
  for (const { part, started } of running) {
    try {
      await part.stop?.(started);
    } catch (error) {
      failures.push(new Error(`stop ${part.name}: ${errorMessage(error)}`, { cause: error }));
    }
  }
  return failures;
}

function joined(errors: readonly unknown[]): string {
  return errors.map(errorMessage).join('; ');
}
