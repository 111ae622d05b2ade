/** Error of a command that finds no store to read yet. */
import type { Settings } from '../config/settings.ts';
import { storeFileIn } from '../serve/data-directory.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';

export function noStore({ dataDir }: Settings): CommandFailure {
  return new CommandFailure(
    `no store at ${storeFileIn(dataDir)}: start \`assay serve\` first, or give its --data-dir`,
    EXIT.input,
  );
}
