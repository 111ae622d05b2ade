/** Regression detection: whether, and by what. Detection's own defaults apply to everything that is not given. */
import { DEFAULT_DETECTION } from '../statistics/detect/settings.ts';
import { formatDuration } from './quantities.ts';
import { section, type SettingsOf } from './section.ts';
import { amount, count, duration, setting, yesOrNo } from './setting.ts';
import { z } from 'zod';

const { watch, falseAlarmsPerMonth } = DEFAULT_DETECTION;
const HOLIDAYS_MAX = 1000;
const DATES = `a list of at most ${HOLIDAYS_MAX} dates such as 2026-12-25`;
const dates = z.array(z.iso.date(DATES), DATES).max(HOLIDAYS_MAX, DATES);

/** The default is given in milliseconds. */
const time = (key: string, usualMs: number, help: string) =>
  duration({ key, default: formatDuration(usualMs), min: '1ms', max: '365d' }, help);

export const DETECTION = section('reload', 'Has the agent got worse? (detection.md)', {
  active: yesOrNo({ key: 'detection.active', variable: 'ASSAY_DETECTION', default: true }, 'Looks for regressions.'),
  falseAlarmsPerMonth: amount(
    { key: 'detection.false_alarms_per_month', default: falseAlarmsPerMonth, min: 0.001, max: 100 },
    'False alarms to expect in 30 days, of all agents and figures together.',
  ),
  learnConversations: count(
    { key: 'detection.learn_conversations', default: watch.learn.conversations, min: 1, max: 1e6 },
    'Conversations of a level before detection reports anything.',
  ),
  learnHistoryMs: time('detection.learn_history', watch.learn.historyMs, 'History before detection reports anything.'),
  baselineMemoryMs: time('detection.baseline_memory', watch.baseline.memoryMs, 'Time in which the baseline forgets.'),
  baselineGapMs: time('detection.baseline_gap', watch.baseline.gapMs, 'Age at which an evaluation becomes baseline.'),
  recoveredMs: time('detection.recovered', watch.recoveredMs, 'How long `recovered` stays.'),
  holidays: setting(
    { key: 'detection.holidays', default: [], example: ['2026-12-25'] },
    'Dates (UTC) that teach nothing and may be 10 % worse.',
    dates,
  ),
  silentMs: time('detection.silent', watch.silentMs, 'Time without conversations after which a level is `no_data`.'),
});
export type DetectionChoices = SettingsOf<typeof DETECTION>;
