/** A file that is there under its name once it is whole: until then it is `<name>.part`, and one that breaks off is removed. */
import { open, rename, rm, stat } from 'node:fs/promises';
import { CommandFailure, EXIT } from './exit-codes.ts';

export async function fileWhenDone(out: string, { force }: { readonly force: boolean }) {
  const isThere = await stat(out).then(
    () => true,
    () => false,
  );
  if (isThere && !force) throw new CommandFailure(`${out} exists: --force overwrites it`, EXIT.input);
  const unfinished = `${out}.part`;
  const file = await open(unfinished, 'w').catch((error: unknown) => {
    throw new CommandFailure(`write ${out}: ${error instanceof Error ? error.message : ''}`, EXIT.input);
  });
  return {
    write: (piece: string | Uint8Array) => file.appendFile(piece),
    /** Only then is it there under its name. */
    done: async () => {
      await file.sync();
      await rename(unfinished, out);
    },
    close: async () => {
      await file.close();
      await rm(unfinished, { force: true });
    },
  };
}
