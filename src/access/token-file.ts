/** Tokens in a file of this machine. Written to another file that then takes its place, so that no reader sees half. */
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KeptToken, TokenStore } from '../model/access.ts';
import { makeFolder } from '../model/make-folder.ts';
import { readTokens, writeTokens } from './token-document.ts';

const LOCK_TRIES = 100;
const LOCK_PAUSE_MS = 50;
/** The process that created it was killed. */
const LOCK_STALE_MS = 10_000;

export class TokenFile implements TokenStore {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Without a file there are none. */
  async list(): Promise<readonly KeptToken[]> {
    try {
      return readTokens(await readFile(this.#file, 'utf8'), this.#file);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  add(token: KeptToken): Promise<boolean> {
    return this.#change(async (tokens) =>
      tokens.some(({ name }) => name === token.name)
        ? { tokens: undefined, result: false }
        : { tokens: [...tokens, token], result: true },
    );
  }

  revoke(nameOrId: string): Promise<KeptToken | undefined> {
    return this.#change(async (tokens) => {
      const found = tokens.find(({ name }) => name === nameOrId) ?? tokens.find(({ id }) => id === nameOrId);
      return { tokens: found && tokens.filter((token) => token !== found), result: found };
    });
  }

  /** Changes the file, one change at a time over all processes. */
  async #change<T>(
    change: (tokens: readonly KeptToken[]) => Promise<{
      readonly tokens: readonly KeptToken[] | undefined;
      readonly result: T;
    }>,
  ): Promise<T> {
    return locked(this.#file, async () => {
      const { tokens, result } = await change(await this.list());
      if (tokens !== undefined) await replaceFile(this.#file, writeTokens(tokens));
      return result;
    });
  }
}

/** Lets one process at a time change a file. */
export async function locked<T>(file: string, work: () => Promise<T>): Promise<T> {
  makeFolder(path.dirname(file), '--data-dir');
  const lock = `${file}.lock`;
  await take(lock);
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

export async function replaceFile(file: string, content: string): Promise<void> {
  const next = `${file}.${process.pid}.next`;
  const handle = await open(next, 'w', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(next, file);
}

async function take(lock: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await (await open(lock, 'wx', 0o600)).close();
      return;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST') || tries === LOCK_TRIES) {
        throw new Error(`take the lock ${lock}: another process has it`, { cause: error });
      }
    }
    const taken = await stat(lock).catch(() => undefined);
    if (taken !== undefined && Date.now() - taken.mtimeMs > LOCK_STALE_MS) await rm(lock, { force: true });
    await sleep(LOCK_PAUSE_MS);
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
