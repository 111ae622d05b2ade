/** `assay store check`: what is damaged in a data folder, before a start finds it. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { counted } from '../../model/counted.ts';
import { loadSettings } from '../../config/settings.ts';
import { isInUse } from '../../serve/data-directory.ts';
import { type Examined, examine } from '../../serve/one-machine/examination.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { failOn } from '../load.ts';
import { settingOption } from '../setting-option.ts';
import type { Terminal } from '../terminal.ts';

interface Flags {
  readonly config?: string;
  readonly dataDir?: string;
  readonly json?: boolean;
}

export function addCheck(store: Command, terminal: Terminal): void {
  store
    .command('check')
    .description('say what is damaged in the data folder of a stopped service; changes nothing')
    .addHelpText('after', '\nEnds with 0 if nothing is, 1 if a start reports it and goes on, 4 if a start asks.')
    .option('--json', 'print it as JSON')
    .addOption(settingOption('config'))
    .addOption(settingOption('data_dir'))
    .action(async ({ config, dataDir, json }: Flags) => {
      const { settings, mistakes } = loadSettings({ flags: { config, dataDir }, env: process.env, cwd: process.cwd() });
      failOn(mistakes);
      const folder = settings.dataDir;
      if (!existsSync(folder)) throw new CommandFailure(`no data folder at ${folder}: give its --data-dir`, EXIT.input);
      if (isInUse(folder)) {
        const instead = 'its metric assay_data_damage and its log say what its start has found';
        throw new CommandFailure(`Assay is running on ${folder}: ${instead}; stop it to check all`, EXIT.input);
      }
      const examined = await examine(folder, 'whole');
      if (json === true) terminal.json(toJson(folder, examined));
      else print(terminal, folder, examined);
      const { result } = toJson(folder, examined);
      if (result === 'lossy') throw new CommandFailure('', EXIT.loss);
      if (result === 'damaged') throw new CommandFailure('', EXIT.failed);
    });
}

function toJson(folder: string, { store, journal, damage, undecided }: Examined) {
  const isDamaged = damage.length > 0 || journal.corruptBytes > 0;
  return {
    data_dir: folder,
    result: undecided.length > 0 ? 'lossy' : isDamaged ? 'damaged' : 'intact',
    conversations: store.conversations ?? null,
    stored_up_to: store.position ?? null,
    journal: { begins: journal.base, ends: journal.end, corrupt_bytes: journal.corruptBytes },
    damage: damage.map((one) => ({
      kind: one.kind,
      what: one.what,
      loses_data: one.losesData,
      accepted: one.losesData && !undecided.includes(one),
    })),
  } as const;
}

function print(terminal: Terminal, folder: string, examined: Examined): void {
  const { store, journal, damage, undecided } = examined;
  terminal.out(
    `${folder}: ${counted(store.conversations ?? 0, 'conversation')}, the journal goes from ${journal.base} to ${journal.end}`,
  );
  if (journal.corruptBytes > 0)
    terminal.out(`journal-corrupt: ${journal.corruptBytes} bytes fail their checksum; a start sets them aside`);
  for (const one of damage) {
    const decided = one.losesData && !undecided.includes(one) ? ' (accepted before)' : '';
    terminal.out(`${one.kind}: ${one.what}${decided}`);
  }
  if (undecided.length > 0)
    terminal.out('A start asks before it goes on without them: put back what is missing, or start with --accept-loss.');
  else if (damage.length === 0 && journal.corruptBytes === 0) terminal.out('nothing is damaged');
}
