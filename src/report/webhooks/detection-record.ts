/**
 * A change that detection found, as it is told to webhooks and by the API. The schema is published in
 * docs/reference/detection-event.schema.json, made from the one here. Nothing of what was said in a conversation is in
 * it: names, numbers and ids.
 */
import { z } from 'zod';
import {
  CLEAR_FROM,
  DETECTOR_METRICS,
  type FallCause,
  LEARNS,
  type LevelReading,
  NOTICE_KINDS,
  noneOfThese,
  noticeKindOf,
  type Transition,
  type VersionReading,
} from '../../model/detection.ts';
import { OUTCOMES } from '../../model/evaluation.ts';

const share = z.number();

export const detectionRecordSchema = z
  .object({
    id: z.string().length(32).describe('Stable across deliveries, so that receivers can drop duplicates.'),
    kind: z.enum([...NOTICE_KINDS, 'changed']).describe('`changed`: of interest in a history only.'),
    at: z.iso.datetime().describe('Log time at which it was found.'),
    summary: z.string().describe('One sentence for a person.'),
    suite: z.string(),
    agent: z.string(),
    environment: z.string(),
    metric: z.enum([...DETECTOR_METRICS, 'version', 'judges']),
    criterion: z.string().optional().describe('Present where the metric is criterion.'),
    segment: z
      .string()
      .optional()
      .describe('Present where the metric is segment: a part of the traffic, such as tool: search.'),
    causes: z
      .array(
        z.object({
          parts: z.array(z.string()),
          probability: share.optional().describe('That this explains the fall, from 0 to 1.'),
          share: share.describe('Part of the fall that is in these conversations, from 0 to 1.'),
          conversations: z.number().int(),
          expected: share,
          observed: share,
        }),
      )
      .describe(
        'What may explain the fall, the most probable first: parts of the traffic; one without parts says that it is everywhere.',
      ),
    none_of_these: share.nullable().describe('Probability that none of the causes explains the fall.'),
    from: z.string(),
    to: z.string(),
    agent_version: z.string().optional().describe('Where the metric is version: the candidate.'),
    baseline_version: z.string().optional().describe('Where the metric is version: what it was compared with.'),
    since: z.iso.datetime().nullable().describe('When it seems to have begun.'),
    baseline: share.nullable().describe('What was expected, in the unit of the metric.'),
    observed: share.nullable(),
    change_ratio: share.nullable().describe('Relative to the baseline; negative is a fall.'),
    change_lower_ratio: share.nullable(),
    change_upper_ratio: share.nullable(),
    parts: z
      .array(z.object({ part: z.enum(['criterion', 'mix']), criterion: z.string(), points: share }))
      .describe(
        'Of the mean score: what each criterion and the mix of what is asked add to its change as it was counted, largest fall first. The parts add up to counted_observed less counted_baseline.',
      ),
    segment_parts: z
      .array(z.object({ part: z.enum(['segment', 'mix']), segment: z.string(), points: share }))
      .describe('The same change by segment, where there are several; the parts add up to the same.'),
    counted_baseline: share
      .nullable()
      .describe(
        'Of the mean score: what it was before, whatever was asked then. The baseline beside it is for what is asked now.',
      ),
    counted_observed: share.nullable(),
    where: z
      .array(
        z.object({
          agent_version: z.string(),
          segment: z.string().optional(),
          conversations: z.number().int(),
          failed: z.number().int(),
        }),
      )
      .describe('Of the latest conversations since then: how many of each version and segment had no good outcome.'),
    worst_conversations: z.array(
      z.object({
        conversation_id: z.string(),
        agent_version: z.string(),
        score: share.nullable(),
        outcome: z.enum(OUTCOMES),
        because: z.string().optional(),
      }),
    ),
  })
  .describe('A change that Assay found in how well an agent does.');

export type DetectionRecord = z.infer<typeof detectionRecordSchema>;
export type Evidence = Pick<DetectionRecord, 'where' | 'worst_conversations'>;

export const NO_EVIDENCE: Evidence = { where: [], worst_conversations: [] };

export function detectionRecord(transition: Transition, evidence: Evidence): DetectionRecord {
  const { id, at, from, to, reading } = transition;
  const { suite, agent, environment } = reading;
  const common = {
    id,
    kind: noticeKindOf(transition) ?? ('changed' as const),
    at: timeOf(at),
    summary: summaryOf(transition),
    suite,
    agent,
    environment,
    from,
    to,
    ...evidence,
  };
  switch (transition.kind) {
    case 'level':
      return { ...common, ...levelPart(transition.reading) };
    case 'version':
      return { ...common, ...versionPart(transition.reading) };
    case 'judges':
      return { ...common, ...NO_LEVEL, metric: 'judges' };
  }
}

export function levelPart(reading: LevelReading) {
  const { metric, criterion, part, onset, change, counted } = reading;
  const parts: DetectionRecord['parts'] = reading.parts.toSorted((a, b) => a.points - b.points);
  const segmentParts: DetectionRecord['segment_parts'] = (reading.segmentParts ?? []).toSorted(
    (a, b) => a.points - b.points,
  );
  return {
    metric,
    ...(criterion === undefined ? {} : { criterion }),
    ...(part === undefined ? {} : { segment: part }),
    causes: (reading.causes ?? []).map((cause) => ({ ...cause, parts: [...cause.parts] })),
    none_of_these: noneOfThese(reading.causes ?? []) ?? null,
    since: onset === undefined ? null : timeOf(onset),
    baseline: change?.baseline ?? null,
    observed: change?.observed ?? null,
    change_ratio: change?.ratio ?? null,
    change_lower_ratio: change?.lower ?? null,
    change_upper_ratio: change?.upper ?? null,
    parts,
    segment_parts: segmentParts,
    counted_baseline: counted?.baseline ?? null,
    counted_observed: counted?.observed ?? null,
  };
}

function versionPart({ version, baselineVersion, difference }: VersionReading) {
  return {
    ...NO_LEVEL,
    metric: 'version' as const,
    agent_version: version,
    baseline_version: baselineVersion,
    change_ratio: difference ?? null,
  };
}

/** Fields of a record that is not about a level. */
const NO_LEVEL = {
  since: null,
  baseline: null,
  observed: null,
  change_ratio: null,
  change_lower_ratio: null,
  change_upper_ratio: null,
  parts: [],
  segment_parts: [],
  causes: [],
  none_of_these: null,
  counted_baseline: null,
  counted_observed: null,
} as const satisfies Partial<DetectionRecord>;

const MEASURES = {
  tcr: 'mean score',
  hard_failure: 'rate of hard failures',
  criterion: 'pass rate',
  segment: 'mean score',
  cost_per_success: 'cost per good outcome',
  steps_per_success: 'steps per good outcome',
} as const;

/** Directions in which a measure is an alarm: words that hold of suites about form as well. */
const MOVED = {
  tcr: 'fallen',
  hard_failure: 'risen',
  criterion: 'fallen',
  segment: 'fallen',
  cost_per_success: 'risen',
  steps_per_success: 'risen',
} as const satisfies Record<LevelReading['metric'], string>;

const STATES = {
  no_data: () => 'has no data any more',
  learning: () => LEARNS,
  ok: () => 'is as usual',
  suspected: (moved) => `may have ${moved}`,
  regressed: (moved) => `has ${moved}`,
  partly_back: () => 'is partly back',
  recovered: () => 'has recovered',
} as const satisfies Record<LevelReading['state'], (moved: string) => string>;

const VERSIONS = {
  worse: 'scores lower than',
  better: 'scores higher than',
  equivalent: 'scores as much as',
  inconclusive: 'cannot be told from',
} as const satisfies Record<VersionReading['verdict'], string>;

const DIRECTIONS = { worse: -1, better: 1, equivalent: 0, inconclusive: 0 } as const satisfies Record<
  VersionReading['verdict'],
  number
>;

function summaryOf(transition: Transition): string {
  const { agent, environment } = transition.reading;
  const whose = `${agent} (${environment})`;
  if (transition.kind === 'version') {
    const { version, baselineVersion, difference } = transition.reading;
    // The verdict goes by the order in which conversations came, and may not agree with their difference.
    const isAgainst = difference !== undefined && DIRECTIONS[transition.to] * difference < 0;
    const by = difference === undefined || isAgainst ? '' : `, good outcomes ${signed(difference * 100)} points`;
    return `${whose}: version ${version} ${VERSIONS[transition.to]} ${baselineVersion}${by}`;
  }
  if (transition.kind === 'judges')
    return `${whose}: other judges answer the questions of ${transition.reading.suite}, so its figures cannot be compared with those before; what is usual is learnt from scratch. The agent did not change`;
  const { from, to, reading } = transition;
  // Somebody knows already that it has moved.
  const isFurther = from === 'regressed' && to === 'regressed';
  return levelSummary(reading, to, isFurther ? `has ${MOVED[reading.metric]} further` : undefined);
}

const UNNAMED_FROM = 0.5;

/** States whose cause is named. */
const IS_BAD: ReadonlySet<string> = new Set(['suspected', 'regressed', 'partly_back']);

export function isBad(state: string): boolean {
  return IS_BAD.has(state);
}

/** Sentence for a person about a level in that state. */
export function levelSummary(
  reading: LevelReading,
  state: LevelReading['state'],
  verb: string = STATES[state](MOVED[reading.metric]),
): string {
  const { agent, environment, metric, criterion, part, change, parts } = reading;
  const of = criterion ?? (part === undefined ? undefined : `conversations with ${part}`);
  const measure = of === undefined ? MEASURES[metric] : `${MEASURES[metric]} of ${of}`;
  // A change is named only if it still points in its direction: the level since the onset may look better by now.
  const isSaid = change !== undefined && (!isBad(state) || change.ratio > 0 === (MOVED[metric] === 'risen'));
  const by = isSaid ? `: ${figuresOf(change, state)}` : '';
  if (!isBad(state)) return `${agent} (${environment}): ${measure} ${verb}${by}`;
  const [worst] = parts
    .filter(({ part, points }) => part === 'criterion' && points < 0)
    .toSorted((a, b) => a.points - b.points);
  const because =
    worst === undefined ? '' : `; most of it by ${worst.criterion} (${signed(worst.points * 100)} points)`;
  return `${agent} (${environment}): ${measure} ${verb}${by}${because}${inPart(reading)}${caveat(reading)}`;
}

function figuresOf({ baseline, observed, ratio }: Change, state: LevelReading['state']): string {
  // The figure since the onset is mostly of the bad time.
  if (state === 'recovered') return `${figure(baseline)} is usual`;
  const by = isBad(state) ? ` (${signed(ratio * 100)} %)` : '';
  return `${figure(baseline)} expected, ${figure(observed)} observed${by}`;
}

type Change = NonNullable<LevelReading['change']>;

/** The part of the traffic that explains most of a fall, unless the sentence is about it anyway. */
function inPart({ causes = [], part }: LevelReading): string {
  const [first] = causes;
  if (first === undefined || (first.parts.length === 1 && first.parts[0] === part)) return '';
  if ((first.probability ?? 1) < CLEAR_FROM)
    return `; which part of the traffic it is in is not clear (most probably ${inWords(first)})`;
  return `; ${causeText(first)}${noneText(causes)}`;
}

/** A cause without its figures: language: de, 84 %. */
function inWords({ parts, probability = 0 }: Pick<FallCause, 'parts' | 'probability'>): string {
  return `${parts.length === 0 ? 'everywhere' : parts.join(' and ')}, ${Math.round(100 * probability)} %`;
}

/** Empty where it is not worth saying. */
export function noneText(causes: readonly FallCause[]): string {
  const none = noneOfThese(causes) ?? 0;
  return none < 0.005 ? '' : `; none of these: ${Math.round(100 * none)} %`;
}

/** Caveat that a user without a name looks like a fall of everybody. */
function caveat({ unnamedShare = 0 }: LevelReading): string {
  return unnamedShare > UNNAMED_FROM
    ? '; spans name no users, so one user with many bad conversations would look the same'
    : '';
}

export function causeText({ parts, probability, share: explained, ...figures }: FallCause): string {
  const probably = probability === undefined ? '' : `, probability ${Math.round(100 * probability)} %`;
  if (parts.length === 0) return `in all parts of the traffic alike${probably}`;
  const { conversations, expected, observed } = figures;
  return `${Math.round(100 * explained)} % of the fall is in conversations with ${parts.join(' and ')} (${figure(expected)} expected, ${figure(observed)} observed in ${conversations})${probably}`;
}

function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : Number(value.toPrecision(3)).toString();
}

function signed(value: number): string {
  return `${value >= 0 ? '+' : '−'}${Math.abs(value).toFixed(1)}`;
}

function timeOf(ms: number): string {
  return new Date(Number.isFinite(ms) ? Math.min(Math.max(ms, 0), 8.64e15) : 0).toISOString();
}
