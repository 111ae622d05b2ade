/** Deployment on one machine: the journal is the log, SQLite the store, and no other instance shares them. */
import type { Settings } from '../../config/settings.ts';
import { ConversationNotes } from '../../engine/conversation-notes.ts';
import { turnLimits } from '../../engine/engine-settings.ts';
import { Journal } from '../../journal/journal.ts';
import type { DataDirectory } from '../store-place/data-directory.ts';
import type { Deployment, LogNeeds } from '../deployment/deployment.ts';
import type { StorePlace } from '../store-place/open-reader.ts';
import type { JournalStorage } from '../scoring/scoring-protocol.ts';
import { TurnPacker } from '../scoring/turn-packer.ts';
import { journalIn } from './examination.ts';
import { JournalLog } from './journal-log.ts';

/** Calls of judges that are under way are paid for, and may take as long as a provider does. */
const DRAIN_MS = 600_000;

export class OneMachine implements Deployment {
  readonly scores = true;
  readonly accepts = true;
  readonly isAlone = true;
  /** Commands that have not been sent are in the journal. */
  readonly draining = { waiting: 'is dropped', limitMs: DRAIN_MS } as const;
  log: JournalLog | undefined;
  readonly #settings: Settings;
  readonly #directory: DataDirectory;

  constructor(settings: Settings, directory: DataDirectory) {
    this.#settings = settings;
    this.#directory = directory;
  }

  storage({ store, turn }: Settings): JournalStorage {
    return {
      kind: 'one-machine',
      storeFile: this.#directory.storeFile,
      retention: { ...store, reopenMs: turn.reopenMs },
    };
  }

  storePlace(): StorePlace {
    return { kind: 'sqlite', file: this.#directory.storeFile };
  }

  async openLog({ scorer, events, duty }: LogNeeds): Promise<JournalLog> {
    const { segmentBytes, maxBytes } = this.#settings.journal;
    const { journal, recovered } = await Journal.open({
      ...journalIn(this.#directory.path),
      segmentBytes,
      maxBytes,
      floor: { position: scorer.floor.logEnd, logTime: scorer.floor.logTime },
      onEvent: (event) => events.report(event),
    });
    duty.set(true);
    const packer = new TurnPacker(this.#directory.journal);
    const notes = new ConversationNotes(this.#settings.conversation.idKeys);
    const log = new JournalLog({ journal, packer, limits: turnLimits(this.#settings), notes, scorer });
    await log.read(recovered);
    this.log = log;
    return log;
  }
}
