/** `assay sessions end`: people who signed in have to sign in again. The service knows of it within three seconds. */
import type { Command } from 'commander';
import { loadSettings } from '../../config/settings.ts';
import { accessStoreOf } from '../../serve/http/service-access.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { failOn } from '../load.ts';
import { settingOption } from '../setting-option.ts';
import { safe, type Terminal } from '../terminal.ts';

interface Flags {
  readonly all?: boolean;
  readonly person?: string;
  readonly config?: string;
  readonly dataDir?: string;
}

/** The longest that `access.session_lifetime` may be. */
const LIFETIME_MAX_MS = 30 * 86_400_000;

export function addSessions(program: Command, terminal: Terminal): void {
  program
    .command('sessions')
    .description('sessions of people who signed in')
    .command('end')
    .description('end sessions, so that people have to sign in again')
    .option('--all', 'of everybody')
    .option('--person <subject>', 'of one person, by the subject that the audit log has in brackets')
    .addOption(settingOption('config'))
    .addOption(settingOption('data_dir', 'Folder of the service, if it has no shared store.'))
    .action((flags: Flags) => end(terminal, flags));
}

async function end(terminal: Terminal, { all, person, config, dataDir }: Flags): Promise<void> {
  if ((all === true) === (person !== undefined)) {
    throw new CommandFailure('give one of --all and --person', EXIT.usage);
  }
  const { settings, mistakes } = loadSettings({ flags: { config, dataDir }, env: process.env, cwd: process.cwd() });
  failOn(mistakes.filter(({ path }) => path === '' || /^(?:store|data_dir|access)\b/.test(path)));
  const { sessions, close } = await accessStoreOf(settings);
  try {
    const at = Date.now();
    await sessions.end(person === undefined ? 'all' : `person:${person}`, { at, forgetBefore: at - LIFETIME_MAX_MS });
  } finally {
    await close();
  }
  terminal.out(person === undefined ? 'ended all sessions' : `ended the sessions of ${safe(person)}`);
}
