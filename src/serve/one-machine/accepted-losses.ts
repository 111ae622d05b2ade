/** Losses that a person has accepted, in a file of the data folder, so that the next start does not ask again. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Damage } from '../../model/damage.ts';

const FILE = 'accepted-losses.json';
const schema = z.array(z.object({ key: z.string(), kind: z.string(), what: z.string(), accepted_at: z.string() }));

export class AcceptedLosses {
  readonly #file: string;
  readonly #known: z.infer<typeof schema>;

  private constructor(file: string, known: z.infer<typeof schema>) {
    this.#file = file;
    this.#known = known;
  }

  static in(directory: string): AcceptedLosses {
    const file = path.join(directory, FILE);
    try {
      return new AcceptedLosses(file, schema.parse(JSON.parse(readFileSync(file, 'utf8'))));
    } catch {
      // Without the file, or with a damaged one, people are asked again.
      return new AcceptedLosses(file, []);
    }
  }

  has(key: string): boolean {
    return this.#known.some((one) => one.key === key);
  }

  accept(losses: readonly Damage[], now: Date): void {
    const added = losses.map(({ key, kind, what }) => ({ key, kind, what, accepted_at: now.toISOString() }));
    const text = `${JSON.stringify([...this.#known, ...added], undefined, 2)}\n`;
    const draft = `${this.#file}.new`;
    writeFileSync(draft, text, { mode: 0o600, flush: true });
    renameSync(draft, this.#file);
  }
}
