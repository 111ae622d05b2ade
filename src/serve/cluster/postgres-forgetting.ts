/** The steps of forgetting on the store that instances share. The log is Kafka, which forgets by itself. */
import { AboutMatcher } from '../../engine/about.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { ArchiveStore } from '../../store/archive-store.ts';
import type { RunningTotals } from '../../store/engine-store.ts';
import type { ForgettingRows } from '../../store/postgres/forgetting.ts';
import type { ForgetAnswer, ForgetStep, StepTaker } from '../forgetting/steps.ts';

export class PostgresForgetting implements StepTaker {
  readonly #store: Pick<ForgettingRows, 'has' | 'search' | 'saidOf' | 'drop'>;
  readonly #archive: Pick<ArchiveStore, 'toForget'>;
  readonly #totals: Pick<RunningTotals, 'dropExemplars'>;
  readonly #idKeys: readonly string[];

  constructor(
    store: Pick<ForgettingRows, 'has' | 'search' | 'saidOf' | 'drop'>,
    {
      archive,
      totals,
    }: { readonly archive: Pick<ArchiveStore, 'toForget'>; readonly totals: Pick<RunningTotals, 'dropExemplars'> },
    idKeys: readonly string[],
  ) {
    this.#archive = archive;
    this.#store = store;
    this.#totals = totals;
    this.#idKeys = idKeys;
  }

  async take(step: ForgetStep): Promise<ForgetAnswer> {
    switch (step.do) {
      case 'find': {
        const { conversation, users } = step;
        if (conversation !== undefined) {
          const conversations = (await this.#store.has(conversation)) ? [conversation] : [];
          return { conversations, said: await this.#store.saidOf([conversation]) };
        }
        const matcher = new AboutMatcher({ conversation: undefined, users }, this.#idKeys);
        const conversations = await this.#store.search((traces) => matcher.tracesIn(traces).size > 0);
        return { conversations, said: await this.#store.saidOf(conversations) };
      }
      case 'drop':
        this.#totals.dropExemplars();
        return { dropped: await this.#store.drop(step.conversations, step.users) };
      case 'list-wipes':
        return { traces: [] };
      case 'end-wipes':
        return {};
      case 'settle':
        // The files are the database's business.
        return { isSettled: true, inArchive: await this.#archive.toForget() };
      default:
        return unreachable(step);
    }
  }
}
