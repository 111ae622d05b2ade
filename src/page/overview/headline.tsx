/**
 * The first sentence of the overview: has it got worse? One answer, from the first of these that has one:
 *
 *   an alarm     detection has one open for the suite and the agents that are shown, the one that began last
 *   a change     the comparison with the time before is clear of chance
 *   more failures  its line of the fleet says so; one that is partly bad moves the mean score little
 *   a trouble    something fails more often with the new version, whatever the score makes of it
 *   no change    there is such a comparison, and it is not
 *   too early    there is none yet
 */
import type { Detections } from '../../api/detections.ts';
import type { Fleet } from '../../api/fleet.ts';
import type { Moved } from '../../api/moved.ts';
import type { Trend } from '../../api/trend.ts';
import { wordsOf } from '../../model/suite-words.ts';
import type { About } from '../../model/evaluation.ts';
import { capitalized } from '../text/capitalized.ts';
import { counted, countText, points } from '../text/format.ts';
import { useReply } from '../api/use-reply.ts';
import { standingOf } from '../fleet/fleet-rows.tsx';
import { onlyOf, type Place, withChanges } from '../shell/place.ts';
import { SpanText } from '../text/span-text.tsx';
import { Time } from '../text/time.tsx';
import { beforeOf } from './moved-parts.tsx';
import { oftenText, SinceVersion, type Trouble, useTroubles } from './since-version.tsx';

interface Told {
  readonly is: 'fell' | 'rose' | 'same' | 'early';
  readonly sentence: string;
  /** Behind the sentence: since when. */
  readonly since?: string;
}

interface HeadlineParts {
  /** Alarms of what is shown. */
  readonly open: Detections['open'];
  readonly moved: Moved | undefined;
  /** Version whose first conversation begins the time compared, if one does. */
  readonly version: string | undefined;
  /** Its line of the fleet, where that says that it is worse. */
  readonly worse?: string | undefined;
  /** The most frequent of those that came with that version. */
  readonly trouble?: Trouble | undefined;
  /** Agents that are shown. */
  readonly whose: string;
  readonly about: About | undefined;
  readonly scope: 'conversation' | 'turn';
}

export function headlineOf({ worse, trouble, ...parts }: HeadlineParts): Told | undefined {
  const told = byScore(parts);
  const { version, whose, open } = parts;
  if (open.length > 0 || told?.is === 'fell') return told;
  const came =
    trouble === undefined || version === undefined ? [] : [`with ${version}, ${trouble.words} ${oftenText(trouble)}.`];
  const before = [...(worse === undefined ? [] : [`${worse.slice(0, 1).toLowerCase()}${worse.slice(1)}.`]), ...came];
  if (before.length === 0) return told;
  const [first = '', ...others] = [
    ...before,
    ...(told === undefined ? [] : [told.sentence.slice(`${whose}: `.length)]),
  ];
  const sentence = [`${whose}: ${first}`, ...others.map(capitalized)].join(' ');
  return { is: 'fell', sentence, ...(told?.since === undefined ? {} : { since: told.since }) };
}

function byScore({
  open,
  moved,
  version,
  whose,
  about,
  scope,
}: Omit<HeadlineParts, 'worse' | 'trouble'>): Told | undefined {
  const alarm = open.toSorted((a, b) => ((a.since ?? '') < (b.since ?? '') ? 1 : -1))[0];
  if (alarm !== undefined)
    return { is: alarm.size !== undefined && alarm.size.value > 0 ? 'rose' : 'fell', sentence: alarm.sentence };
  if (moved === undefined) return undefined;
  const { difference, before, after, parts, too_early: early } = moved;
  const { score } = wordsOf(about);
  if (difference === undefined) {
    const why = early ?? 'there is nothing to compare it with';
    return { is: 'early', sentence: `${whose}: too early to say whether the ${score} has changed: ${why}.` };
  }
  const since = after.since;
  const than = `${counted(after.evaluations, scope)} against ${countText(before.evaluations)} before, since`;
  const when = version === undefined ? than : `${than} ${version} was first seen at`;
  const { value, low, high } = difference;
  if (low <= 0 && high >= 0) {
    const by = `${points(value)} points (${points(low)} to ${points(high)})`;
    return {
      is: 'same',
      sentence: `${whose}: no change of the ${score} that is clear of chance: ${by}, ${when}`,
      since,
    };
  }
  const size = (one: number) => points(Math.abs(one)).slice(1);
  const [least, most] = [low, high].toSorted((one, other) => Math.abs(one) - Math.abs(other));
  const largest = parts.find((part) => Math.sign(part.points) === Math.sign(value));
  const name = largest === undefined ? undefined : (PART_WORDS[largest.kind] ?? largest.name);
  const mostly = largest === undefined ? '' : `, of which ${name} ${size(largest.points)}`;
  // Harder requests are no worse agent.
  const is = largest?.kind === 'mix' ? 'same' : value < 0 ? 'fell' : 'rose';
  const verb = value < 0 ? 'fell' : 'rose';
  const by = `${size(value)} points (${size(least ?? value)} to ${size(most ?? value)})`;
  return { is, sentence: `${whose}: the ${score} ${verb} by ${by}${mostly}: ${when}`, since };
}

const PART_WORDS: Readonly<Record<string, string | undefined>> = {
  hard_failures: 'hard failures',
  mix: 'another mix of traffic, or of what was decided,',
};

interface HeadlineProps extends Omit<HeadlineParts, 'worse' | 'trouble' | 'about' | 'scope'> {
  readonly trend: Trend;
  readonly place: Place;
}

/** With what came with a version below it. */
export function Headline({ trend, place, ...parts }: HeadlineProps) {
  const { version } = parts;
  const asked =
    version === undefined
      ? undefined
      : withChanges(onlyOf(place.query, ['environment', 'segment', 'until']), {
          ...{ agent: trend.agents, agent_version: version, since: beforeOf(trend) },
        });
  const troubles = useTroubles(asked);
  const worse = useWorse(trend, place);
  const told = headlineOf({ ...parts, worse, about: trend.about, scope: trend.scope, trouble: troubles[0] });
  return (
    <>
      {told !== undefined && (
        <p class={`headline ${told.is}`} role="status">
          <SpanText text={told.sentence} charactersMax={600} />
          {told.since !== undefined && [' ', <Time key="since" at={told.since} />, '.']}
        </p>
      )}
      {asked !== undefined && <SinceVersion asked={asked} troubles={troubles} />}
    </>
  );
}

/** The fleet compares no longer times. */
const LONGEST_MS = 8 * 86_400_000;

/** The same answer as in the list of agents. */
function useWorse(trend: Trend, { query }: Place): string | undefined {
  const [agent, ...others] = trend.agents;
  const isPart = ['agent_version', 'segment'].some((name) => query.has(name));
  const isAsked = !isPart && others.length === 0 && Date.parse(trend.until) - Date.parse(trend.since) < LONGEST_MS;
  const asked = onlyOf(query, ['environment', 'since', 'until']);
  const line = withChanges(asked, { suite: trend.suite, since: asked.get('since') ?? trend.since });
  const { reply } = useReply<Fleet>(isAsked ? '/api/v1/fleet' : undefined, { query: line });
  if (!isAsked || reply?.is !== 'here') return undefined;
  const own = reply.value.agents.find((one) => one.agent === agent);
  return own !== undefined && standingOf({ ...own, alarms: 0 }) === 'fell' ? own.sentence : undefined;
}
