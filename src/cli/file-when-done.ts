/**
 * A file that is there under its name once it is whole. Until then its name ends in `.part`, after letters of its own, so
 * that two commands that write the same file do not mix. One that breaks off is removed, also by Ctrl-C.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, rmSync } from 'node:fs';
import { link, open, rename, rm, stat } from 'node:fs/promises';
import { CommandFailure, EXIT } from './exit-codes.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export async function fileWhenDone(out: string, { force }: { readonly force: boolean }) {
  const refusal = new CommandFailure(`${out} exists: --force overwrites it`, EXIT.input);
  const isThere = await stat(out).then(
    () => true,
    () => false,
  );
  if (isThere && !force) throw refusal;
  const unfinished = `${out}.${process.pid}-${randomUUID().slice(0, 8)}.part`;
  const stopListening = removedWhenStopped(unfinished);
  const file = await created(unfinished).catch((error: unknown) => {
    stopListening();
    throw new CommandFailure(`write ${out}: ${error instanceof Error ? error.message : ''}`, EXIT.input);
  });
  return {
    write: (piece: string | Uint8Array) => file.appendFile(piece),
    /** Only then is it there under its name. */
    done: async () => {
      await file.sync();
      if (force) await rename(unfinished, out);
      else if (!(await placed(unfinished, out))) throw refusal;
    },
    close: async () => {
      await file.close();
      await rm(unfinished, { force: true });
      stopListening();
    },
  };
}

/** Made at once, so that no signal is heard between the look at it and the file: it would remove nothing. */
async function created(file: string) {
  closeSync(openSync(file, 'wx'));
  return await open(file, 'r+');
}

/** False where another file has got the name meanwhile. */
async function placed(unfinished: string, out: string): Promise<boolean> {
  try {
    await link(unfinished, out);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    // A file system without links.
    await rename(unfinished, out);
  }
  return true;
}

/** The process ends by the signal all the same. */
function removedWhenStopped(unfinished: string): () => void {
  const stopListening = () => {
    for (const signal of SIGNALS) process.removeListener(signal, stopped);
  };
  const stopped = (signal: NodeJS.Signals) => {
    rmSync(unfinished, { force: true });
    stopListening();
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.on(signal, stopped);
  return stopListening;
}
