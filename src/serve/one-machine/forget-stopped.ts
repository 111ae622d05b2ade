/** Forgets in the data folder of a service that does not run. The caller has the folder's lock. */
import { Journal } from '../../journal/journal.ts';
import type { Settings } from '../../config/settings.ts';
import { Store } from '../../store/sqlite/store.ts';
import { storeFileIn } from '../store-place/data-directory.ts';
import { forget, type ForgetRequest, type ForgetResult, type ForgettingPlaces } from '../forgetting/forget.ts';
import { LossUndecided } from '../store-place/loss-undecided.ts';
import { examine, journalIn, settle } from './examination.ts';
import { SqliteForgetting } from './sqlite-forgetting.ts';

export async function forgetStopped(settings: Settings, request: ForgetRequest): Promise<ForgetResult> {
  return inStopped(settings, (places) => forget(request, places));
}

/** Opens what a service would open, as its start does, and closes it again. */
export async function inStopped<T>(settings: Settings, work: (places: ForgettingPlaces) => Promise<T>): Promise<T> {
  const { dataDir, experimentsDir, conversation, journal: limits } = settings;
  const examined = await examine(dataDir, 'quick');
  if (examined.undecided.length > 0) {
    const what = examined.undecided.map((one) => `  ${one.what}`).join('\n');
    throw new LossUndecided(`data are lost, and nobody has decided about it: start the service first\n${what}`);
  }
  // Settles as a start does: content that it would cut is set aside, and counts as such.
  await settle(dataDir, examined);
  const store = Store.open(storeFileIn(dataDir));
  try {
    const { journal } = await Journal.open({
      ...journalIn(dataDir),
      segmentBytes: limits.segmentBytes,
      maxBytes: limits.maxBytes,
      floor: { position: store.floor.logEnd, logTime: store.floor.logTime },
      onEvent: () => {
        // The next start reports what is damaged.
      },
    });
    // The next start reads the entries.
    journal.deliverTo({ take: () => {} });
    try {
      return await work({
        store: new SqliteForgetting(store, conversation.idKeys),
        log: {
          place: { position: journal.endPosition, logTime: journal.time },
          rewrite: (edit) => journal.rewrite(edit),
        },
        dataDir,
        experimentsDir,
        idKeys: conversation.idKeys,
      });
    } finally {
      await journal.stop();
    }
  } finally {
    store.close();
  }
}
