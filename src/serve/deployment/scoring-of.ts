/** Start data of the scoring thread: the settings in the terms of its stages. */
import type { Settings } from '../../config/settings.ts';
import { detectionStart } from '../../engine/detection/detection-start.ts';
import { engineSettings } from '../../engine/engine-settings.ts';
import { judgingStart } from '../../engine/judging-start.ts';
import type { SuiteOutline } from '../../engine/suite-outline.ts';
import type { Deployment } from './deployment.ts';
import type { Scoring } from '../scoring/scorer.ts';

export function scoringOf(parts: {
  readonly settings: Settings;
  readonly suites: readonly SuiteOutline[];
  readonly deployment: Deployment;
  readonly version: string;
}): Scoring {
  const { settings, suites, deployment, version } = parts;
  return {
    work: {
      settings: engineSettings(settings),
      suites: settings.suites,
      shadowSuites: settings.shadowSuites,
      exporters: settings.exporters.known,
      tools: settings.tools,
      suitesBaseDirectory: settings.baseDir,
      detection: detectionStart(settings),
      results: settings.results === undefined ? undefined : { ...settings.results, version },
      archive: settings.archive && {
        ...settings.archive,
        idKeys: settings.conversation.idKeys,
        holder: settings.instance,
        store: deployment.storePlace(),
      },
      judging: judgingStart(settings),
      storage: deployment.storage(settings),
    },
    suites,
    checks: settings.score,
  };
}
