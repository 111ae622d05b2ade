/** Alarms of what is shown, one sentence each, and how much is watched. */
import type { Detections } from '../../api/detections.ts';
import { addressOf, type Place, sharedFilters, withChanges } from '../shell/place.ts';
import { counted, countText, points } from '../text/format.ts';
import { SpanText } from '../text/span-text.tsx';
import { Time } from '../text/time.tsx';

const CAUSES_SHOWN = 3;
const CHANGES_SHOWN = 3;

export function OpenDetections({
  detections: { is_active: isActive, note },
  shown: { open, changes, others, learning, watching },
  place,
}: {
  readonly detections: Detections;
  readonly shown: ShownDetections;
  readonly place: Place;
}) {
  if (!isActive) return note === undefined ? null : <p class="aside">{note}</p>;
  return (
    <section class={open.length === 0 ? undefined : 'detections'}>
      <p class="aside">{`${open.length === 0 ? 'No alarm here' : counted(open.length, 'alarm')}${elsewhere(others)}. ${watched(watching, learning)}`}</p>
      {note !== undefined && <p class="aside">{note}</p>}
      {open.length > 0 && (
        <ul>
          {open.map((one) => (
            <li key={`${one.sentence} ${one.metric}`}>{detected(one, place)}</li>
          ))}
        </ul>
      )}
      {changes.length > 0 && (
        <details>
          <summary>The last changes</summary>
          <ul>
            {changes.slice(0, CHANGES_SHOWN).map((one) => (
              <li key={`${one.at} ${one.sentence}`}>
                <Time at={one.at} /> <SpanText text={one.sentence} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

interface ShownDetections extends Pick<Detections, 'open' | 'changes' | 'learning' | 'watching'> {
  /** Open alarms of other suites and agents. */
  readonly others: number;
}

/** Detection's part about what is shown: the suite of the figures, and the agents and environments of the filters. */
export function detectionsOf(
  { open, changes, watched: all }: Detections,
  suite: string,
  query: URLSearchParams,
): ShownDetections {
  const has = (name: string, value: string) => !query.has(name) || query.getAll(name).includes(value);
  const isShown = (one: { readonly suite: string; readonly agent: string; readonly environment: string }) =>
    one.suite === suite && has('agent', one.agent) && has('environment', one.environment);
  const shown = open.filter(isShown);
  const watched = all.filter(isShown);
  const sumOf = (of: 'learning' | 'watching') => watched.reduce((sum, one) => sum + one[of], 0);
  const counts = { learning: sumOf('learning'), watching: sumOf('watching') };
  return { open: shown, changes: changes.filter(isShown), others: open.length - shown.length, ...counts };
}

function elsewhere(others: number): string {
  return others === 0 ? '' : `, ${countText(others)} of other suites or agents`;
}

/** Levels that are still being learned say nothing yet, and above all not that all is well. */
function watched(watching: number, learning: number): string {
  const needs = learning === 1 ? 'needs' : 'need';
  if (watching === 0 && learning === 0) return 'No figure is watched now.';
  const still = `${counted(learning, 'figure')} ${needs} more history before ${learning === 1 ? 'it has' : 'they have'} alarms.`;
  if (watching === 0) return still;
  return `${counted(watching, 'figure')} ${watching === 1 ? 'is' : 'are'} watched${learning === 0 ? '' : `; ${still.slice(0, -1)}`}.`;
}

/** Causes that may explain a fall, each with its probability: language: de, 84 %; none of these, 9 %. */
function explained(explanations: Detections['open'][number]['explained_by'], none: number): string {
  const all = explanations.map(({ parts, probability = 0 }) => ({
    text: parts.length === 0 ? 'everywhere' : parts.join(' and '),
    probability,
  }));
  return [...all, { text: 'none of these', probability: none }]
    .map(({ text, probability }) => `${text}, ${Math.round(100 * probability)} %`)
    .join('; ');
}

function detected(
  {
    sentence,
    agent,
    suite,
    since,
    criterion,
    causes,
    explained_by: explanations,
    none_of_these: none,
  }: Detections['open'][number],
  place: Place,
) {
  const query = withChanges(sharedFilters(place.query), { agent, suite, since, criterion });
  return (
    <div>
      <SpanText in="p" text={sentence} charactersMax={600} />
      {explanations.length > 0 && none !== undefined && (
        <p class="aside">
          {'Probably '}
          <SpanText text={explained(explanations, none)} charactersMax={400} />
        </p>
      )}
      {causes.length > 0 && (
        <p class="aside">
          {'Made up of '}
          {causes
            .slice(0, CAUSES_SHOWN)
            .map(({ name, points: share }) => `${name} ${points(share)}`)
            .join(', ')}
          {' points.'}
        </p>
      )}
      <p>
        <a href={addressOf('conversations', query)}>The conversations of that time</a>
      </p>
    </div>
  );
}
