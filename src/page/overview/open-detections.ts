/** Open alarms, one sentence each, before anything else. */
import { h, type JSX } from 'preact';
import type { Detections } from '../../model/api/detections.ts';
import type { Held } from '../api/use-reply.ts';
import { addressOf, type Place, sharedFilters, withChanges } from '../shell/place.ts';
import { counted, countText, points } from '../text/format.ts';
import { SpanText } from '../text/span-text.ts';
import { Time } from '../text/time.ts';

const CAUSES_SHOWN = 3;
const CHANGES_SHOWN = 3;

export function OpenDetections({
  held: { reply },
  place,
}: {
  readonly held: Held<Detections>;
  readonly place: Place;
}): JSX.Element | null {
  // A problem is reported once, in place of the figures.
  if (reply?.is !== 'here') return null;
  const { is_active: isActive, note, open, changes, learning, watching } = reply.value;
  if (!isActive) return note === undefined ? null : h('p', { class: 'aside' }, note);
  return h(
    'section',
    { class: open.length === 0 ? 'detections-none' : 'detections' },
    open.length === 0 && h('p', { class: 'aside' }, noAlarm(watching, learning)),
    open.length > 0 && h('h2', null, counted(open.length, 'alarm')),
    open.length > 0 &&
      h('ul', null, ...open.map((one) => h('li', { key: `${one.sentence} ${one.metric}` }, detected(one, place)))),
    changes.length > 0 &&
      h(
        'details',
        null,
        h('summary', null, 'The last changes'),
        h(
          'ul',
          null,
          ...changes
            .slice(0, CHANGES_SHOWN)
            .map((one) =>
              h(
                'li',
                { key: `${one.at} ${one.sentence}` },
                h(Time, { at: one.at }),
                ' ',
                h(SpanText, { text: one.sentence }),
              ),
            ),
        ),
      ),
  );
}

/** Levels that are still being learned say nothing yet, and above all not that all is well. */
function noAlarm(watching: number, learning: number): string {
  const needs = learning === 1 ? 'needs' : 'need';
  if (watching === 0) {
    return learning === 0
      ? 'Nothing is watched yet.'
      : `It is too early for alarms: ${counted(learning, 'figure')} ${needs} more history first.`;
  }
  const still = learning === 0 ? '' : `, and ${countText(learning)} ${needs} more history first`;
  return `No alarm: ${counted(watching, 'figure')} ${watching === 1 ? 'is' : 'are'} watched${still}.`;
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
): JSX.Element {
  const query = withChanges(sharedFilters(place.query), { agent, suite, since, criterion });
  return h(
    'div',
    null,
    h('p', null, h(SpanText, { text: sentence, charactersMax: 600 })),
    explanations.length > 0 &&
      none !== undefined &&
      h('p', { class: 'aside' }, 'Probably ', h(SpanText, { text: explained(explanations, none), charactersMax: 400 })),
    causes.length > 0 &&
      h(
        'p',
        { class: 'aside' },
        'Made up of ',
        causes
          .slice(0, CAUSES_SHOWN)
          .map(({ name, points: share }) => `${name} ${points(share)}`)
          .join(', '),
        ' points.',
      ),
    h('p', null, h('a', { href: addressOf('conversations', query) }, 'The conversations of that time')),
  );
}
