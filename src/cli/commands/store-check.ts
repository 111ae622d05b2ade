/**
 * `assay store check`: what is damaged in a data folder, and what an upgrade would change in the store, before a start
 * does it. A shared store is PostgreSQL's to check; of it the upgrade is shown.
 */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { counted } from '../../model/counted.ts';
import { isStoreWithoutKafka, loadSettings } from '../../config/settings.ts';
import { isInUse, storeFileIn } from '../../serve/store-place/data-directory.ts';
import { type Examined, examine } from '../../serve/one-machine/examination.ts';
import { nameOf, type StoreUpgrade, upgradeOf } from '../../serve/store-place/store-upgrade.ts';
import { findStore, findStoreInUse } from '../../store/sqlite/found-store.ts';
import { MIGRATIONS } from '../../store/sqlite/migrate.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { failOn } from '../load.ts';
import { settingOption } from '../setting-option.ts';
import type { Terminal } from '../terminal.ts';

interface Flags {
  readonly config?: string;
  readonly dataDir?: string;
  readonly json?: boolean;
  readonly upgrade?: boolean;
}

export function addCheck(store: Command, terminal: Terminal): void {
  store
    .command('check')
    .description(
      'say what is damaged in the data folder of a stopped service, and what this version would change in the store; changes nothing',
    )
    .addHelpText(
      'after',
      '\nEnds with 0 if nothing is, 1 if a start reports it and goes on or the store is too new for this version, 4 if a start asks.',
    )
    .option('--json', 'print it as JSON')
    .option('--upgrade', 'only what this version would change in the store; the service may run')
    .addOption(settingOption('config'))
    .addOption(settingOption('data_dir'))
    .action(async ({ config, dataDir, json, upgrade: isUpgrade }: Flags) => {
      const { settings, mistakes } = loadSettings({ flags: { config, dataDir }, env: process.env, cwd: process.cwd() });
      failOn(mistakes.filter((mistake) => !isStoreWithoutKafka(mistake)));
      const { sharedStore } = settings;
      if (sharedStore !== undefined && dataDir === undefined) {
        const { findStore: findShared } = await import('../../store/postgres/found-store.ts');
        const { MIGRATIONS: shared } = await import('../../store/postgres/schema.ts');
        showUpgrade(terminal, upgradeOf(await findShared(sharedStore), shared), json === true);
        return;
      }
      const folder = settings.dataDir;
      if (!existsSync(folder)) throw new CommandFailure(`no data folder at ${folder}: give its --data-dir`, EXIT.input);
      if (isUpgrade === true) {
        const found = isInUse(folder) ? findStoreInUse(storeFileIn(folder)) : findStore(storeFileIn(folder));
        showUpgrade(terminal, upgradeOf(found, MIGRATIONS), json === true);
        return;
      }
      if (isInUse(folder)) {
        const instead = 'its metric assay_data_damage and its log say what its start has found';
        throw new CommandFailure(`Assay is running on ${folder}: ${instead}; stop it to check all`, EXIT.input);
      }
      const examined = await examine(folder, 'whole');
      if (json === true) terminal.json(toJson(folder, examined));
      else print(terminal, folder, examined);
      const { result } = toJson(folder, examined);
      if (examined.upgrade?.refusal !== undefined) throw new CommandFailure('', EXIT.failed);
      if (result === 'lossy') throw new CommandFailure('', EXIT.loss);
      if (result === 'damaged') throw new CommandFailure('', EXIT.failed);
    });
}

function showUpgrade(terminal: Terminal, upgrade: StoreUpgrade | undefined, json: boolean): void {
  if (json) terminal.json({ upgrade: upgradeJson(upgrade) });
  else for (const line of upgradeLines(upgrade)) terminal.out(line);
  if (upgrade?.refusal !== undefined) throw new CommandFailure('', EXIT.failed);
}

function upgradeJson(upgrade: StoreUpgrade | undefined) {
  if (upgrade === undefined) return null;
  const { from, to, discards, refusal } = upgrade;
  return { from, to, throws_away: discards, refused: refusal ?? null };
}

function upgradeLines(upgrade: StoreUpgrade | undefined): readonly string[] {
  if (upgrade === undefined) return ['tables: none yet'];
  const { from, to, discards, refusal } = upgrade;
  if (refusal !== undefined) return [`tables: ${refusal}`];
  const isSame = from.schema === to.schema;
  return [
    `tables: ${nameOf(from)}, ${isSame ? 'this version changes nothing' : `a start migrates them to ${nameOf(to)}`}`,
    ...discards.map((what) => `a start throws away ${what}`),
    ...(isSame || discards.length > 0 ? [] : ['a start throws nothing away']),
  ];
}

function toJson(folder: string, { store, journal, upgrade, damage, undecided }: Examined) {
  const isDamaged = damage.length > 0 || journal.corruptBytes > 0;
  return {
    data_dir: folder,
    result: undecided.length > 0 ? 'lossy' : isDamaged ? 'damaged' : 'intact',
    conversations: store.conversations ?? null,
    stored_up_to: store.position ?? null,
    upgrade: upgradeJson(upgrade),
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
  for (const line of upgradeLines(examined.upgrade)) terminal.out(line);
  if (journal.corruptBytes > 0)
    terminal.out(`journal-corrupt: ${journal.corruptBytes} bytes fail their checksum; a start sets them aside`);
  for (const one of damage) {
    const decided = one.losesData && !undecided.includes(one) ? ' (accepted before)' : '';
    terminal.out(`${one.kind}: ${one.what}${decided}`);
  }
  if (undecided.length > 0)
    terminal.out('A start asks before it goes on without them: put back what is missing, or start with --accept-loss.');
  else if (damage.length === 0 && journal.corruptBytes === 0)
    terminal.out(
      examined.upgrade?.refusal === undefined ? 'nothing is damaged' : 'nothing is damaged; a start refuses the tables',
    );
}
