/**
 * The condition of a data folder at the start. Where data are lost it takes a person to decide that the service starts
 * all the same: until then nothing is changed. Once it may start, what it would destroy is set aside.
 */
import type { Settings } from '../config/settings.ts';
import type { DamageEvent } from '../model/events/damage-events.ts';
import type { Log } from '../report/log/log.ts';
import { LossUndecided } from './store-place/loss-undecided.ts';
import { makePrivate } from './store-place/private-folder.ts';
import { type DataDirectory, openDataDirectory } from './store-place/data-directory.ts';
import { examine, noteSalt, settle } from './one-machine/examination.ts';
import { upgradeEvents } from './store-place/store-upgrade.ts';

export interface DataFolder extends DataDirectory {
  /** Reports what was found, once somebody listens. The salt of user ids is there by then. */
  reportTo(events: { report(event: DamageEvent): void }): void;
}

export async function openDataFolder(settings: Settings, log: Log): Promise<DataFolder> {
  const { dataDir } = settings;
  // First, because its lock keeps a second process out.
  const directory = openDataDirectory(dataDir);
  try {
    const found = await conditionOf(settings, log);
    const reportTo: DataFolder['reportTo'] = (events) => {
      for (const event of found) events.report(event);
      if (settings.kafka === undefined) noteSalt(dataDir);
    };
    return { ...directory, reportTo };
  } catch (error) {
    directory.release();
    throw error;
  }
}

async function conditionOf(settings: Settings, log: Log): Promise<readonly DamageEvent[]> {
  const { dataDir, acceptLoss, kafka } = settings;
  const { changed, problem } = makePrivate(dataDir);
  if (changed > 0)
    log.line('info', 'data: files could be read by other users, access is now closed', { files: changed });
  if (problem !== undefined)
    log.line('warn', 'data: files can be read by other users, close access to them', { problem });
  // With Kafka the log and the store are elsewhere.
  if (kafka !== undefined) return [];
  const examined = await examine(dataDir, 'quick');
  const { damage, undecided, upgrade } = examined;
  if (upgrade?.refusal !== undefined) throw new Error(`${upgrade.refusal}; or point data_dir at another folder`);
  if (undecided.length > 0 && !acceptLoss) {
    for (const { kind, what } of undecided) log.line('error', 'store: data are lost, not starting', { kind, what });
    throw new LossUndecided(refusal(undecided.map(({ what }) => what)));
  }
  if (acceptLoss && undecided.length === 0)
    log.line('warn', 'store: --accept-loss is set and nothing is lost, a later loss would be accepted unseen');
  const files = await settle(dataDir, examined);
  const isNew = new Set(undecided);
  return [
    ...upgradeEvents(upgrade),
    ...damage.flatMap((one): DamageEvent[] =>
      one.losesData && !isNew.has(one) ? [] : [{ type: 'damage-found', kind: one.kind, what: one.what }],
    ),
    ...(files.length > 0 ? [{ type: 'set-aside', files } as const] : []),
  ];
}

function refusal(losses: readonly string[]): string {
  return [
    'data are lost, and nothing was changed:',
    ...losses.map((what) => `  ${what}`),
    'Put back what is missing (a volume that is not mounted, a backup), and start again.',
    '`assay store check` says what is there. To go on without what is lost: --accept-loss or ASSAY_ACCEPT_LOSS=true, once.',
  ].join('\n');
}
