/** Weighing again for the running service: the suites that run, as they were loaded, and its store. */
import type { Settings } from '../../config/settings.ts';
import { judgingStart } from '../../engine/judging-start.ts';
import { suiteLoading } from '../../engine/suite-loading.ts';
import type { ReadingEvent } from '../../model/events/reading-events.ts';
import type { StorePlace } from '../store-place/open-reader.ts';
import type { RunningConfig } from '../running/running-config.ts';
import { Reweighing } from './reweighing.ts';

export function reweighingOf(parts: {
  readonly store: StorePlace;
  readonly config: RunningConfig;
  /** Suites as they are named at the start; a reload reads them from the configuration. */
  readonly named: Pick<Settings, 'suites' | 'baseDir'>;
  readonly events: { report(event: ReadingEvent): void };
}): Reweighing {
  const { store, config, named, events } = parts;
  const first = config.settings;
  return new Reweighing({
    start: () => {
      const { settings } = config;
      const { suites: references, baseDir } = settings === first ? named : settings;
      return {
        store,
        suites: { ...suiteLoading(settings), references, baseDir },
        judging: judgingStart(settings),
        truth: settings.truth,
        idKeys: settings.conversation.idKeys,
        segment: settings.metrics.segment,
        gapMs: settings.detection.baselineGapMs,
      };
    },
    suites: () => config.suites,
    onEvent: (event) => events.report(event),
  });
}
