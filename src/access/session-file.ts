/** The key of sessions, and those that were ended, in files of this machine. */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { EndedSessions, SessionStore } from '../model/access.ts';
import { isMissing, locked, replaceFile } from './token-file.ts';

const endedSchema = z.record(z.string(), z.number());

export class SessionFile implements SessionStore {
  readonly #keyFile: string;
  readonly #endedFile: string;

  constructor(folder: string) {
    this.#keyFile = path.join(folder, 'session-key');
    this.#endedFile = path.join(folder, 'ended-sessions.json');
  }

  async secret(): Promise<string> {
    await mkdir(path.dirname(this.#keyFile), { recursive: true, mode: 0o700 });
    try {
      const file = await open(this.#keyFile, 'wx', 0o600);
      try {
        await file.writeFile(randomBytes(32).toString('base64url'));
        await file.sync();
      } finally {
        await file.close();
      }
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const secret = await readFile(this.#keyFile, 'utf8');
    if (secret.length < 32) throw new Error(`${this.#keyFile} holds no key: remove it, and everybody signs in again`);
    return secret;
  }

  async ended(): Promise<EndedSessions> {
    try {
      return new Map(Object.entries(endedSchema.parse(JSON.parse(await readFile(this.#endedFile, 'utf8')))));
    } catch (error) {
      if (isMissing(error)) return new Map();
      throw error;
    }
  }

  end(what: string, { at, forgetBefore }: { readonly at: number; readonly forgetBefore: number }): Promise<void> {
    return locked(this.#endedFile, async () => {
      const kept = [...(await this.ended())].filter(([, then]) => then >= forgetBefore);
      await replaceFile(this.#endedFile, JSON.stringify(Object.fromEntries([...kept, [what, at]])));
    });
  }
}
