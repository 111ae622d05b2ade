/** `assay store copy`: everything that the store of one machine holds, into the PostgreSQL that instances share. */
import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { counted } from '../../model/counted.ts';
import { isStoreWithoutKafka, loadSettings } from '../../config/settings.ts';
import { openDataDirectory, storeFileIn } from '../../serve/store-place/data-directory.ts';
import { copyStore, SourceIsWaiting, TargetInUse } from '../../store/copy-store.ts';
import type { PostgresAddress } from '../../store/postgres/link.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { failOn } from '../load.ts';
import { addExport } from './export.ts';
import { addForget } from './forget.ts';
import { addJournal } from './journal.ts';
import { addCheck } from './store-check.ts';
import { addDowngrade } from './store-downgrade.ts';
import { settingOption } from '../setting-option.ts';
import type { Terminal } from '../terminal.ts';

interface Flags {
  readonly to?: string;
  readonly as: string;
  readonly intoExisting?: boolean;
  readonly config?: string;
}

export function addStore(program: Command, terminal: Terminal): void {
  const store = program.command('store').description('manage the store');
  addCheck(store, terminal);
  addDowngrade(store, terminal);
  addJournal(program, terminal);
  addForget(program, terminal);
  addExport(program, terminal);
  store
    .command('copy')
    .description(
      'copy a store of one machine into the PostgreSQL that many instances share; an interrupted copy may be repeated',
    )
    .argument('[source]', 'data directory or store file (default: the data directory that `serve` would use)')
    .option(
      '--to <url>',
      'postgres://user@host:5432/database; ASSAY_STORE_PASSWORD is its password (default: store.url)',
    )
    .option('--as <name>', 'the instance whose name the totals get', 'copied')
    .option('--into-existing', 'copy even if the target has its own conversations')
    .addOption(settingOption('config'))
    .action(async (source: string | undefined, flags: Flags) => {
      await copy(terminal, source, flags);
    });
}

async function copy(terminal: Terminal, source: string | undefined, flags: Flags): Promise<void> {
  const env = flags.to === undefined ? process.env : { ...process.env, ASSAY_STORE_URL: flags.to };
  const { settings, mistakes } = loadSettings({ flags: { config: flags.config }, env, cwd: process.cwd() });
  failOn(mistakes.filter((mistake) => !isStoreWithoutKafka(mistake)));
  if (settings.sharedStore === undefined) {
    throw new CommandFailure('name the target: --to, store.url in the configuration, or ASSAY_STORE_URL', EXIT.usage);
  }
  const to: PostgresAddress = settings.sharedStore;
  const at = source ?? settings.dataDir;
  const file = fileAt(at);
  // A folder is somebody's: while Assay writes to it, a copy would miss what comes meanwhile.
  const directory = file === at ? undefined : openDataDirectory(at);
  try {
    const copied = await copyStore({
      from: file,
      to,
      as: flags.as,
      intoExisting: flags.intoExisting === true,
      onProgress: ({ conversations, of }) => terminal.progress(`copied ${conversations} of ${of} conversations`),
    });
    terminal.progressDone();
    const { target, leftAlone } = copied;
    terminal.out(
      `copied ${counted(copied.copied.conversations, 'conversation')}, ${counted(copied.copied.traces, 'trace')} and ${counted(copied.copied.evaluations, 'evaluation')}; ` +
        `the target has ${target.conversations} of ${counted(copied.source.conversations, 'conversation')}`,
    );
    if (leftAlone === 0) return;
    terminal.err(
      `${leftAlone} conversations differ from the source: they were in the target already, and were left as they are`,
    );
    if (flags.intoExisting !== true) throw new CommandFailure('the copy is not complete', EXIT.failed);
  } catch (error) {
    if (error instanceof SourceIsWaiting) throw new CommandFailure(error.message, EXIT.input);
    if (!(error instanceof TargetInUse)) throw error;
    throw new CommandFailure(`${error.message}: name another database or schema, or use --into-existing`, EXIT.usage);
  } finally {
    directory?.release();
  }
}

function fileAt(source: string): string {
  try {
    return statSync(source).isDirectory() ? storeFileIn(source) : source;
  } catch (error) {
    throw new CommandFailure(`no store at ${source}: ${String(error)}`, EXIT.input);
  }
}
