/** The parts of the service that answer what needs an open store. */
import type { Settings } from '../../config/settings.ts';
import type { RedactionRules } from '../../model/redaction.ts';
import type { ComparisonSide, ReadingSide } from './answered-by-thread.ts';
import type { ForgetSide } from '../api/forget-api.ts';
import type { WriteSide } from '../api/routes.ts';
import type { ExportApi } from '../exporting/export-route.ts';
import type { WhatIfApi } from '../what-if/what-if-routes.ts';
import type { Comparing } from '../comparing/comparing.ts';
import { comparingOf } from '../comparing/comparing-of.ts';
import { Exports } from '../exporting/exports.ts';
import type { DetectionMonitor } from '../detection/detection-monitor.ts';
import { userFormsOf } from '../forgetting/user-forms.ts';
import type { StorePlace } from '../store-place/open-reader.ts';
import type { StoreReading } from '../reading/store-reading.ts';
import type { RunningConfig } from '../running/running-config.ts';
import type { ServiceAccess } from './service-access.ts';
import type { ServiceEvents } from '../running/service-events.ts';
import type { ServiceViews } from './service-views.ts';
import type { StoreWrites } from '../scoring/store-writes.ts';
import type { Reweighing } from '../what-if/reweighing.ts';
import { reweighingOf } from '../what-if/reweighing-of.ts';

export interface StoreNeeds {
  readonly settings: Settings;
  /** Suites as they are named at the start. */
  readonly named: Pick<Settings, 'suites' | 'baseDir'>;
  readonly access: Pick<ServiceAccess, 'audit'>;
  readonly config: RunningConfig;
  readonly events: ServiceEvents;
  readonly detection: DetectionMonitor;
  readonly writes: StoreWrites;
  readonly reading: StoreReading;
  readonly views: Pick<ServiceViews, 'quality'>;
  readonly redaction: RedactionRules | undefined;
}

export interface OpenStore extends ReadingSide, WriteSide, ForgetSide, WhatIfApi, ExportApi, ComparisonSide {
  readonly exports: Exports;
  readonly reweighing: Reweighing;
  readonly comparing: Comparing;
}

export function openStore(needs: StoreNeeds, store: StorePlace): OpenStore {
  const { settings, access, config, events, detection, writes, reading, views } = needs;
  return {
    reading,
    exports: new Exports({ store, suites: () => config.suites, onEvent: (event) => events.report(event) }),
    reweighing: reweighingOf({ ...needs, store }),
    comparing: comparingOf({ ...needs, store }),
    forget: async (request) => {
      const result = await writes.forgetting.forget(request);
      views.quality.dropExemplars();
      return result;
    },
    userForms: userFormsOf(settings),
    audit: access.audit,
    liveSuites: () => config.liveSuites,
    put: async (write) => {
      const answer = await writes.put(write);
      if ('fates' in answer)
        for (const fate of answer.fates ?? []) events.report({ type: 'feedback-arrived', way: 'api', fate });
      return answer;
    },
    redaction: needs.redaction,
    accept: (chosen) => detection.accept(chosen),
  };
}
