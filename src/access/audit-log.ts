/**
 * Records who did what, when and from where: JSON lines in `access/audit.log` of the data folder. It never has contents, tokens
 * or queries, and paths only as they were registered.
 *
 *   a line each      writes, sign-ins, tokens and sessions that come or go; refusals, up to a number each minute
 *   a line a minute  reads, scrapes and exports: their number, by caller, port, method and route
 *
 * Lines are appended in order. At a size the file is renamed to `audit.log.1`, that one to `.2`, and the last is
 * dropped. Where the disk does not take them, lines wait up to a number; the rest is counted and reported.
 */
import { appendFile, mkdir, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import type { AccessEvent } from '../model/events/access-events.ts';

/** One line of the log, without its time. */
export interface AuditLine {
  /** Kind of the line: `allowed`, `refused`, `signed-in`, `token-added`, … */
  readonly what: string;
  readonly who?: string;
  readonly from?: string | undefined;
  readonly port?: string;
  readonly method?: string;
  readonly route?: string;
  readonly role?: string;
  readonly why?: string;
  /** Number of conversations that were forgotten. */
  readonly conversations?: string;
  /** Hash of the id of the one that was. */
  readonly hash?: string;
}

interface AuditOptions {
  readonly file: string;
  /** Limit of all files together. */
  readonly maxBytes: number;
  readonly onEvent: (event: AccessEvent) => void;
  readonly now?: () => number;
}

const MINUTE_MS = 60_000;
const FILES = 8;
const WAITING_MAX = 10_000;
/** Callers and routes of one minute. Beyond it the minute is written early. */
const SUMMED_MAX = 5_000;
const REFUSALS_A_MINUTE = 20;
const TEXT_MAX = 300;
/** Few enough to fit into the smallest file. */
const LINES_AT_ONCE = 50;

export class AuditLog {
  readonly #options: AuditOptions;
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  #summed = new Map<string, { readonly line: AuditLine; count: number }>();
  #refusals = 0;
  #waiting: string[] = [];
  #dropped = 0;
  #writing: Promise<void> | undefined;

  constructor(options: AuditOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#timer = setInterval(() => this.endMinute(), MINUTE_MS).unref();
  }

  write(line: AuditLine): void {
    this.#append(line, {});
  }

  /** Counts a frequent action; the sum of a minute is one line. */
  sum(line: AuditLine): void {
    const { what, who = '', port = '', method = '', route = '', role = '', why = '' } = line;
    // The address is not in the key: readers would make a line each, and their names tell them apart.
    const key = [what, who, port, method, route, role, why].join('\n');
    const found = this.#summed.get(key);
    if (found !== undefined) {
      found.count++;
      return;
    }
    this.#summed.set(key, { line, count: 1 });
    if (this.#summed.size >= SUMMED_MAX) this.#writeSums();
  }

  /** The first of a minute have a line each, with the address; the others are summed by reason. */
  refuse(line: AuditLine): void {
    this.#refusals++;
    if (this.#refusals <= REFUSALS_A_MINUTE) this.write(line);
    else {
      const { what, port, why } = line;
      this.sum({ what, ...(port === undefined ? {} : { port }), ...(why === undefined ? {} : { why }) });
    }
  }

  /** Writes the sums. Called every minute, and by tests. */
  endMinute(): void {
    this.#refusals = 0;
    this.#writeSums();
  }

  /** Resolves when everything is written that can be. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.endMinute();
    await this.#writing;
  }

  #writeSums(): void {
    const summed = this.#summed;
    this.#summed = new Map();
    for (const { line, count } of summed.values()) this.#append(line, { count });
  }

  #append(line: AuditLine, more: { readonly count?: number }): void {
    if (this.#waiting.length >= WAITING_MAX) {
      this.#dropped++;
      return;
    }
    const at = new Date(this.#now()).toISOString();
    const cut = Object.entries(line).map(([name, value]) => [name, value?.slice(0, TEXT_MAX)]);
    this.#waiting.push(`${JSON.stringify({ at, ...Object.fromEntries(cut), ...more })}\n`);
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Never rejects. */
  async #writeAll(): Promise<void> {
    // Lines of the same moment are written together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const lines = this.#waiting.splice(0, LINES_AT_ONCE);
      try {
        await this.#toFile(lines.join(''));
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        this.#options.onEvent({ type: 'audit-failed', problem, lines: lines.length + this.#dropped });
        this.#dropped = 0;
        return;
      }
    }
    if (this.#dropped === 0) return;
    this.#options.onEvent({ type: 'audit-failed', problem: 'too many lines at once', lines: this.#dropped });
    this.#dropped = 0;
  }

  async #toFile(text: string): Promise<void> {
    const { file, maxBytes } = this.#options;
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const size = await stat(file).then(
      (found) => found.size,
      () => 0,
    );
    if (size > 0 && size + text.length > maxBytes / FILES) await rotate(file);
    await appendFile(file, text, { mode: 0o600 });
  }
}

async function rotate(file: string): Promise<void> {
  for (let number = FILES - 1; number >= 1; number--) {
    const from = number === 1 ? file : `${file}.${number - 1}`;
    // At the beginning there are fewer files than this.
    await rename(from, `${file}.${number}`).catch(() => undefined);
  }
}
