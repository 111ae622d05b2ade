/** The store of the configuration, opened to be read. */
import type { Settings } from '../config/settings.ts';
import { storeFileIn } from '../serve/store-place/data-directory.ts';
import { openReader } from '../serve/store-place/open-reader.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';

type OpenedStore = NonNullable<Awaited<ReturnType<typeof openReader>>>;

/** Throws where there is none yet; `instead` names what a person may give. */
export async function openedStore(settings: Settings, instead = 'its --data-dir'): Promise<OpenedStore> {
  const reader = await openReader(settings);
  if (reader !== undefined) return reader;
  const problem = `no store at ${storeFileIn(settings.dataDir)}`;
  throw new CommandFailure(`${problem}: start \`assay serve\` first, or give ${instead}`, EXIT.input);
}
