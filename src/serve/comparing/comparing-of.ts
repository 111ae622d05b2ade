/** Comparisons for the running service: its store, its folder of experiments and the suites that run. */
import type { ReadingEvent } from '../../model/events/reading-events.ts';
import type { DetectionMonitor } from '../detection/detection-monitor.ts';
import type { StorePlace } from '../store-place/open-reader.ts';
import type { RunningConfig } from '../running/running-config.ts';
import { Comparing } from './comparing.ts';

export function comparingOf({
  store,
  config,
  detection,
  events,
}: {
  readonly store: StorePlace;
  readonly config: RunningConfig;
  readonly detection: Pick<DetectionMonitor, 'state'>;
  readonly events: { report(event: ReadingEvent): void };
}): Comparing {
  return new Comparing({
    store,
    parts: () => ({
      suites: config.suites,
      experiments: config.settings.experimentsDir,
      idKeys: config.settings.conversation.idKeys,
      races: detection.state.report?.versions ?? [],
    }),
    onEvent: (event) => events.report(event),
  });
}
