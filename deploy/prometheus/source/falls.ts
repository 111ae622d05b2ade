/**
 * The state of each fall: open or not, how large, since when. An alert reads the state and not the windows, so one
 * lasting fall is one alert.
 *
 *     opens    in some window the fall is certain (evidence), surely larger than the floor, and still there
 *     lasts    whatever single windows show, with the baseline from before it
 *     ends     when some window since it opened shows less than half of the fall, and surely not all of it
 *
 * "Surely larger" is the lower end of an interval. The longest windows take the estimate instead, because nothing
 * better is known. A fall that has ended opens again only on windows that lie wholly after its end.
 *
 * A state is carried from one evaluation to the next by a rule that reads its own series. A state that closes is
 * recorded as zero before it is absent, because the last value of an absent series is found again.
 */
import { BASELINE_SCORED } from './counts.ts';
import {
  CONFIRMING_DROP,
  CRITERIA,
  DROP,
  DROP_LOWER,
  dropLowest,
  EVIDENCE,
  EXPECTED,
  MATCHED,
  matched,
  nats,
  OBSERVED,
  OBSERVED_UPPER,
  TCR_LOWER,
  TCR_UPPER,
} from './evidence.ts';
import { AGENT, duration, FALL_OPENED, MEASURED, on, remembered } from './promql.ts';
import { type Group, record, type Rule, type Severity } from './rule.ts';
import {
  ALARM_NATS,
  BANDS,
  BASELINE_CONVERSATIONS_MIN,
  END_NATS,
  FALL,
  HARD_FAILURE_FALL,
  HARD_FAILURE_RATE_MIN,
  type RuleSettings,
  VERSION_ALARM_NATS,
} from './settings.ts';

/** The lower end of the fall at its most certain, relative to the baseline; 0 or absent if none is open. */
export const FALL_SIZE = 'agent:assay_fall:ratio';
/** 1 while the TCR is below the level of this name, 0 when that ends. */
export const BELOW_BAND = 'agent:assay_below_band:bool';

const CLOSED = 'agent:assay_fall_closed:timestamp';
const SETTLING = 'agent:assay_fall_settling:seconds';
const LASTING = 'agent:assay_fall_lasting:seconds';

interface Fall {
  readonly measure: 'tcr' | 'success' | 'not_hard_failure' | 'criterion' | 'version';
  readonly severity: Severity;
  readonly floor: number;
  /** The evidence, less what many chances to be wrong cost. */
  readonly evidence: (of: string) => string;
  readonly nats: number;
  /** Whether the fall is large enough, in place of the floor. */
  readonly isLarge?: (settings: RuleSettings) => string;
}

const plainly = (of: string): string => `${EVIDENCE}${of}`;

const FALLS: readonly Fall[] = [
  { measure: 'tcr', severity: 'page', floor: FALL.page, evidence: plainly, nats: ALARM_NATS },
  { measure: 'tcr', severity: 'ticket', floor: FALL.ticket, evidence: plainly, nats: ALARM_NATS },
  { measure: 'success', severity: 'page', floor: FALL.success, evidence: plainly, nats: ALARM_NATS },
  {
    measure: 'not_hard_failure',
    severity: 'page',
    floor: HARD_FAILURE_FALL,
    evidence: plainly,
    nats: ALARM_NATS,
    isLarge: isSpike,
  },
  {
    measure: 'criterion',
    severity: 'ticket',
    floor: FALL.criterion,
    // Each criterion is a chance to be wrong; dividing the chance among them is a subtraction in nats.
    evidence: (of) => `(${EVIDENCE}${of} - ${on(AGENT, `ln(${CRITERIA})`)})`,
    nats: ALARM_NATS,
  },
  { measure: 'version', severity: 'page', floor: FALL.version, evidence: plainly, nats: VERSION_ALARM_NATS },
];

export function falls(settings: RuleSettings): Group {
  return {
    name: 'assay_falls',
    intervalSeconds: settings.interval.fast,
    rules: [
      ...ages(settings),
      ...FALLS.map((fall) => sizeOf(fall, settings)),
      ...times(settings),
      bandStates(settings),
    ],
  };
}

function sizeOf(fall: Fall, settings: RuleSettings): Rule {
  const { measure, severity } = fall;
  const before = (recorded: string) =>
    remembered(`${recorded}{measure="${measure}", severity="${severity}"}`, settings);
  const together = `on (${MEASURED})`;
  const overdue = `(time() - (${before(FALL_OPENED)} > 0) > ${settings.fall.longest})`;
  const present = presence(fall, settings);
  return record(
    FALL_SIZE,
    `max by (${MEASURED}) (
  ${found(fall, `(${before(FALL_SIZE)} > 0)`, settings)}
  or label_replace((${before(FALL_SIZE)} > 0) and ${together} (${present}), "from", "before", "", "")
) unless ${together} (${ending(fall, before(FALL_SIZE), settings)} > ${END_NATS}) unless ${together} ${overdue}
or ${together} max by (${MEASURED}) (${present}) * 0`,
    { measure, severity },
  );
}

/** When each fall was closed, and when it opened. */
function times(settings: RuleSettings): readonly Rule[] {
  const before = (recorded: string) => remembered(recorded, settings);
  const together = `on (${MEASURED}, severity)`;
  return [
    record(
      CLOSED,
      `(${FALL_SIZE} == 0 and ${together} (${before(FALL_OPENED)} > 0)) * 0 + time()
or ${together} (${before(CLOSED)} > time() - ${settings.fall.silent})`,
    ),
    record(
      FALL_OPENED,
      `(${before(FALL_OPENED)} > 0) and ${together} (${FALL_SIZE} > 0)
or ${together} (${FALL_SIZE} > 0) * 0 + time()
or ${together} ${FALL_SIZE} * 0`,
    ),
  ];
}

/**
 * The lower end at which it opens is one look, so that a short deep dip need not be told from a lasting small fall to
 * end. Later lower ends are the largest of thousands.
 */
function found(fall: Fall, open: string, settings: RuleSettings): string {
  const { measure, severity, evidence, nats: alarm, isLarge = isAboveFloor(fall) } = fall;
  const of = `{measure="${measure}"}`;
  return `clamp_min(max by (${MEASURED}) (
  (${DROP_LOWER}${of} unless on (${MEASURED}) ${open} or ${dropLowest(of)})
  and ${evidence(of)} > ${alarm}
  and ${CONFIRMING_DROP}${of} > 0
  and (${isLarge(settings)})
  and on (${AGENT}) (sum by (${AGENT}) (${BASELINE_SCORED}{measure="tcr"}) >= ${BASELINE_CONVERSATIONS_MIN})
  unless on (${MEASURED}, window) ${SETTLING}{measure="${measure}", severity="${severity}"}
), 0.0001)`;
}

function isAboveFloor({ measure, floor }: Fall): (settings: RuleSettings) => string {
  return (settings) => {
    const longest = windowsOf(settings, ({ seconds }) => seconds >= settings.fall.estimateFrom);
    return `${DROP_LOWER}{measure="${measure}"} >= ${floor}
    or ${DROP}{measure="${measure}", window=~"${longest}"} >= ${floor}`;
  };
}

/** A spike lasts hours. A slow rise over days is reported by the alerts about the TCR. */
function isSpike(settings: RuleSettings): string {
  const short = windowsOf(settings, ({ seconds }) => seconds < settings.fall.estimateFrom);
  const of = '{measure="not_hard_failure"}';
  return `1 - ${OBSERVED_UPPER}{measure="not_hard_failure", window=~"${short}"} > ${HARD_FAILURE_RATE_MIN}
    and (1 - ${OBSERVED_UPPER}${of}) >= 2 * (1 - ${EXPECTED}${of})`;
}

/**
 * The evidence that what is left is less than the fall, in windows that show less than half of it. A window that begins
 * before the fall shows less of it from the start.
 */
function ending({ measure, severity, floor }: Fall, size: string, settings: RuleSettings): string {
  const windows = windowsOf(settings, ({ seconds }) => seconds >= settings.fall.endFrom);
  const of = `{measure="${measure}", window=~"${windows}"}`;
  const whole = on(MEASURED, `clamp_min(${size} > 0, ${floor})`);
  const level = `(${EXPECTED}${of} * ${on(MEASURED, `(1 - clamp_min(${size} > 0, ${floor}))`)})`;
  return `max by (${MEASURED}) (
${nats(level)}
* (${OBSERVED} > bool ${level})
  and ${DROP}${of} < ${whole} / 2
  and on (${MEASURED}, window) ${LASTING}{measure="${measure}", severity="${severity}"}
)`;
}

/**
 * A fall lasts while its agent has traffic. A version without traffic was rolled back, unless nothing has any because
 * it is night.
 */
function presence({ measure }: Fall, settings: RuleSettings): string {
  const { silent, silentVersion } = settings.fall;
  const of = (seconds: number, one: string = measure) => `{measure="${one}", window="${duration(seconds)}"}`;
  if (measure === 'tcr') return matched(of(silent));
  if (measure !== 'version') return `${MATCHED}${of(silent)}`;
  return `${MATCHED}${of(silentVersion)}
or on (${MEASURED}) (${MATCHED}${of(silent)} unless on (${AGENT}) ${matched(of(silentVersion, 'tcr'))})`;
}

/** The windows that contain the end of a fall, and those that an open fall contains, each with the time since then. */
function ages(settings: RuleSettings): readonly Rule[] {
  const byWindow = (since: (seconds: number) => string) =>
    settings.windows
      .map(({ seconds }) => `label_replace(${since(seconds)}, "window", "${duration(seconds)}", "", "")`)
      .join('\nor ');
  return [
    record(
      SETTLING,
      byWindow((seconds) => `time() - ${remembered(CLOSED, settings)} < ${seconds}`),
    ),
    record(
      LASTING,
      byWindow((seconds) => `time() - (${remembered(FALL_OPENED, settings)} > 0) >= ${seconds}`),
    ),
  ];
}

/** The whole interval lies below the level; it ends when the whole interval lies above it. */
function bandStates(settings: RuleSettings): Rule {
  const window = `{window="${duration(settings.bandWindow)}"}`;
  const states = Object.entries(BANDS).map(([band, bound]) => {
    const before = `(${remembered(`${BELOW_BAND}{band="${band}"}`, settings)} == 1)`;
    const state = `max by (${AGENT}) (${TCR_UPPER}${window} < ${bound}) * 0 + 1
or max by (${AGENT}) (${before} and on (${AGENT}) ${TCR_LOWER}${window} <= ${bound})
or max by (${AGENT}) (${before}) * 0`;
    return `label_replace(${state}, "band", "${band}", "", "")`;
  });
  return record(BELOW_BAND, states.join('\nor '));
}

function windowsOf({ windows }: RuleSettings, isOne: (window: RuleSettings['windows'][number]) => boolean): string {
  return windows
    .filter(isOne)
    .map(({ seconds }) => duration(seconds))
    .join('|');
}
