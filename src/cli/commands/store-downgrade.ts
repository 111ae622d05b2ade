/** `assay store downgrade`: takes the tables of a store back, so that an earlier version opens it. */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type Command, InvalidArgumentError } from 'commander';
import { isStoreWithoutKafka, loadSettings, type Settings } from '../../config/settings.ts';
import { counted } from '../../model/counted.ts';
import { openDataDirectory, storeFileIn } from '../../serve/store-place/data-directory.ts';
import { compareVersions, type Migration, stepsBack } from '../../store/migration.ts';
import { downgrade, MIGRATIONS, storedSchema } from '../../store/sqlite/migrate.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { failOn } from '../load.ts';
import { settingOption } from '../setting-option.ts';
import type { Terminal } from '../terminal.ts';
import { version } from '../version.ts';

interface Flags {
  readonly to: string;
  readonly acceptLoss?: boolean;
  readonly config?: string;
  readonly dataDir?: string;
}

export function addDowngrade(store: Command, terminal: Terminal): void {
  store
    .command('downgrade')
    .description('take the store of a stopped service back to the tables of an earlier version')
    .addHelpText(
      'after',
      '\nUse it before you start the earlier version. Without a step in between it changes nothing.',
    )
    .requiredOption('--to <version>', 'version of Assay that is to open the store', readVersion)
    .option('--accept-loss', 'also if a step throws data away')
    .addOption(settingOption('config'))
    .addOption(settingOption('data_dir'))
    .action(async ({ to, acceptLoss, config, dataDir }: Flags) => {
      const { settings, mistakes } = loadSettings({ flags: { config, dataDir }, env: process.env, cwd: process.cwd() });
      failOn(mistakes.filter((mistake) => !isStoreWithoutKafka(mistake)));
      const { sharedStore } = settings;
      const place =
        sharedStore !== undefined && dataDir === undefined ? await shared(sharedStore) : ofMachine(settings);
      try {
        const losses = (await place.steps(to)).flatMap(({ discards }) => discards?.back ?? []);
        for (const loss of losses) terminal.out(`the way back throws away ${loss}`);
        if (losses.length > 0 && acceptLoss !== true)
          throw new CommandFailure('nothing was changed: take a backup, and give --accept-loss', EXIT.loss);
        const undone = await place.undo(to);
        const what = undone.length === 0 ? 'has no table that it would not know' : 'can be opened by it now';
        terminal.out(`Assay ${to}: ${counted(undone.length, 'step')} undone, the store ${what}`);
      } finally {
        place.release();
      }
    });
}

interface Place {
  steps(to: string): Promise<readonly Migration[]>;
  undo(to: string): Promise<readonly Migration[]>;
  release(): void;
}

async function shared(address: NonNullable<Settings['sharedStore']>): Promise<Place> {
  const { downgradeStore, findStore } = await import('../../store/postgres/found-store.ts');
  const { MIGRATIONS: all } = await import('../../store/postgres/schema.ts');
  return {
    steps: async (to) => {
      const found = await findStore(address);
      if (found === undefined) throw new CommandFailure('there are no tables of Assay in it', EXIT.input);
      return stepsBack(all, { from: found.schema.version, to });
    },
    undo: (to) => downgradeStore(address, to),
    release: () => {},
  };
}

function ofMachine({ dataDir }: Settings): Place {
  const file = storeFileIn(dataDir);
  if (!existsSync(file)) throw new CommandFailure(`no store at ${file}: give its --data-dir`, EXIT.input);
  // The folder's lock keeps a service out.
  const directory = openDataDirectory(dataDir);
  const database = new DatabaseSync(file);
  return {
    steps: async (to) => stepsBack(MIGRATIONS, { from: storedSchema(database).version, to }),
    undo: async (to) => downgrade(database, to),
    release: () => {
      database.close();
      directory.release();
    },
  };
}

function readVersion(text: string): string {
  if (!/^\d+\.\d+\.\d+$/.test(text)) throw new InvalidArgumentError('A version such as 0.1.0 was expected.');
  if (compareVersions(text, version) > 0)
    throw new InvalidArgumentError(`This is ${version}, which does not know what a later version opens.`);
  return text;
}
