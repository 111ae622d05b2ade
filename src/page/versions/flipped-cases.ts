/** Cases that passed in one experiment and not in the other, what got worse first. A row opens both conversations. */
import { h, type JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { FlippedJson } from '../../api/comparison.ts';
import { useKeys } from '../shell/keys.ts';
import type { Place } from '../shell/place.ts';
import { countText, counted, scoreText } from '../text/format.ts';
import { SpanText } from '../text/span-text.ts';
import { CaseSides } from './case-sides.ts';
import { change } from './choice.ts';

interface FlippedProps {
  readonly place: Place;
  readonly flipped: readonly FlippedJson[];
  readonly suite: string;
  readonly a: string;
  readonly b: string;
}

const SHOWN = 50;
const CRITERIA_SHOWN = 4;

export function FlippedCases({ place, flipped, suite, a, b }: FlippedProps): JSX.Element {
  const open = place.query.get('case') ?? undefined;
  const position = flipped.findIndex((one) => one.case === open);
  const [shown, setShown] = useState(SHOWN);
  const [active, setActive] = useState<number | undefined>();
  const lost = flipped.filter(isLost);
  const last = Math.min(Math.max(shown, position + 1), flipped.length);
  useEffect(() => {
    if (position >= 0) setActive(position);
  }, [position]);
  const show = (name: string | undefined) => change(place, { case: name }, { replaces: true });
  const move = (by: number) => {
    const next = Math.min(Math.max((active ?? -by) + by, 0), last - 1);
    if (next < 0) return;
    setActive(next);
    if (open !== undefined) show(flipped[next]?.case);
  };
  useKeys([
    { key: 'j', does: 'next case', press: () => move(1) },
    { key: 'k', does: 'previous case', press: () => move(-1) },
    { key: 'enter', does: 'open it', press: () => show(flipped[active ?? 0]?.case) },
    { key: 'esc', does: 'close it', press: () => show(undefined) },
  ]);
  return h(
    'section',
    { class: 'flipped' },
    h('h2', null, flipped.length === 0 ? 'No case flipped' : 'Cases that flipped'),
    flipped.length > 0 &&
      h(
        'p',
        { class: 'aside' },
        `${countText(lost.length)} lost something, ${countText(flipped.length - lost.length)} won.`,
      ),
    h(
      'ol',
      { class: 'flipped-list' },
      ...flipped.slice(0, last).map((one, index) =>
        h(FlippedRow, {
          key: one.case,
          flipped: one,
          isActive: index === active,
          isOpen: one.case === open,
          onToggle: () => {
            setActive(index);
            show(one.case === open ? undefined : one.case);
          },
          children: one.case === open ? h(CaseSides, { a, b, name: one.case, suite }) : null,
        }),
      ),
    ),
    last < flipped.length &&
      h(
        'button',
        { type: 'button', onClick: () => setShown(last + SHOWN) },
        `Show more (${counted(flipped.length - last, 'case')} left)`,
      ),
    open !== undefined &&
      position < 0 &&
      h(
        'div',
        null,
        h('h3', null, 'Case ', h(SpanText, { text: open }), h('span', { class: 'aside' }, ', which did not flip')),
        h(CaseSides, { a, b, name: open, suite }),
      ),
  );
}

function FlippedRow({
  flipped,
  isActive,
  isOpen,
  onToggle,
  children,
}: {
  readonly flipped: FlippedJson;
  readonly isActive: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly children: JSX.Element | null;
}): JSX.Element {
  const { direction, score } = flipped;
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isActive) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  return h(
    'li',
    { ref: row, class: ['flipped-row', isActive ? 'active' : '', isOpen ? 'open' : ''].join(' ') },
    h(
      'button',
      { type: 'button', class: 'flipped-line', 'aria-expanded': isOpen, onClick: onToggle },
      h(
        'span',
        { class: `word ${direction}` },
        h('span', { class: 'mark', 'aria-hidden': 'true' }, isLost(flipped) ? '▼' : '▲'),
        direction.replace('_', ' '),
      ),
      h('b', null, h(SpanText, { text: flipped.case, charactersMax: 120 })),
      h('span', { class: 'flipped-score' }, `score ${textOf(score.a)} → ${textOf(score.b)}`),
      h('span', { class: 'flipped-why' }, ...whyOf(flipped)),
    ),
    children,
  );
}

function isLost({ direction }: Pick<FlippedJson, 'direction'>): boolean {
  return direction === 'worse' || direction === 'more_faults';
}

function textOf(score: number | null): string {
  return score === null ? 'none' : scoreText(score);
}

/** `lost correct_time`, and how runs ended that broke off. */
function whyOf({ criteria, ends, direction }: FlippedJson): (JSX.Element | string)[] {
  const lost = criteria.filter(({ a, b }) => b < a).map(({ criterion }) => criterion);
  const won = criteria.filter(({ a, b }) => b > a).map(({ criterion }) => criterion);
  const odd = isLost({ direction }) ? ends.b : ends.a;
  const named = (words: string, names: readonly string[]) =>
    names.length === 0 ? [] : [h('span', { key: words }, `${words} `, h(SpanText, { text: namesOf(names) }))];
  return [
    ...named('lost', lost),
    ...named('won', won),
    ...(odd.length === 0 ? [] : [h('span', { key: 'ends' }, [...new Set(odd)].join(', ').replaceAll('_', ' '))]),
  ];
}

function namesOf(names: readonly string[]): string {
  const more = names.length - CRITERIA_SHOWN;
  return names.slice(0, CRITERIA_SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
