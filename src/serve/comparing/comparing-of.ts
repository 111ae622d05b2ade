/** Comparisons for the running service: its store, its folder of experiments and the suites that run. */
import type { ReadingEvent } from '../../model/events/reading-events.ts';
import type { StorePlace } from '../open-reader.ts';
import type { RunningConfig } from '../running-config.ts';
import { Comparing } from './comparing.ts';

export function comparingOf({
  store,
  config,
  events,
}: {
  readonly store: StorePlace;
  readonly config: RunningConfig;
  readonly events: { report(event: ReadingEvent): void };
}): Comparing {
  return new Comparing({
    store,
    parts: () => ({
      suites: config.suites,
      experiments: config.settings.experimentsDir,
      idKeys: config.settings.conversation.idKeys,
    }),
    onEvent: (event) => events.report(event),
  });
}
