/** The reporter of events, with the metrics that the settings call for. */
import type { Settings } from '../../config/settings.ts';
import { judgingStart, reportedJudges } from '../../engine/judging-start.ts';
import type { RedactionRules } from '../../model/redaction.ts';
import { EventReporter } from '../../report/events/event-reporter.ts';
import type { Log } from '../../report/log/log.ts';

interface Needs {
  readonly log: Log;
  readonly redaction: RedactionRules | undefined;
}

export function reporterOf(settings: Settings, needs: Needs): EventReporter {
  const { kafka } = settings;
  const topics = kafka?.read === true ? [...kafka.topics.spans, ...kafka.topics.logs] : [];
  return new EventReporter({
    ...needs,
    judges: reportedJudges(judgingStart(settings)),
    cluster: kafka === undefined ? undefined : { reads: kafka.read, topics },
  });
}
