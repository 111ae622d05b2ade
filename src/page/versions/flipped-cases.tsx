/** Cases that passed in one experiment and not in the other, what got worse first. A row opens both conversations. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { FlippedJson } from '../../api/comparison.ts';
import { useKeys } from '../shell/keys.ts';
import type { Place } from '../shell/place.ts';
import { useActiveRow } from '../shell/use-active-row.ts';
import { countText, counted, scoreText } from '../text/format.ts';
import { SpanText } from '../text/span-text.tsx';
import { WordMark } from '../text/word-mark.tsx';
import { CaseSides } from './case-sides.tsx';
import { change } from './choice.tsx';

interface FlippedProps {
  readonly place: Place;
  readonly flipped: readonly FlippedJson[];
  readonly suite: string;
  readonly a: string;
  readonly b: string;
}

const SHOWN = 50;
const CRITERIA_SHOWN = 4;

export function FlippedCases({ place, flipped, suite, a, b }: FlippedProps) {
  const open = place.query.get('case') ?? undefined;
  const position = flipped.findIndex((one) => one.case === open);
  const [shown, setShown] = useState(SHOWN);
  const lost = flipped.filter(isLost);
  const last = Math.min(Math.max(shown, position + 1), flipped.length);
  const { active, reached, setActive, move } = useActiveRow(position);
  const show = (name: string | undefined) => change(place, { case: name }, { replaces: true });
  const step = (by: number) => {
    const next = move(by, last);
    if (next !== undefined && open !== undefined) show(flipped[next]?.case);
  };
  useKeys([
    { key: 'j', does: 'next case', press: () => step(1) },
    { key: 'k', does: 'previous case', press: () => step(-1) },
    { key: 'enter', does: 'open it', press: () => show(flipped[reached()]?.case) },
    { key: 'esc', does: 'close it', press: () => show(undefined) },
  ]);
  return (
    <section class="flipped">
      <h2>{flipped.length === 0 ? 'No case flipped' : 'Cases that flipped'}</h2>
      {flipped.length > 0 && (
        <p class="aside">{`${countText(lost.length)} lost something, ${countText(flipped.length - lost.length)} won.`}</p>
      )}
      <ol class="flipped-list">
        {flipped.slice(0, last).map((one, index) => (
          <FlippedRow
            key={one.case}
            flipped={one}
            isActive={index === active}
            isOpen={one.case === open}
            onToggle={() => {
              setActive(index);
              show(one.case === open ? undefined : one.case);
            }}
            children={one.case === open ? <CaseSides a={a} b={b} name={one.case} suite={suite} /> : null}
          />
        ))}
      </ol>
      {last < flipped.length && (
        <button
          type="button"
          onClick={() => setShown(last + SHOWN)}
        >{`Show more (${counted(flipped.length - last, 'case')} left)`}</button>
      )}
      {open !== undefined && position < 0 && (
        <div>
          <h3>
            {'Case '}
            <SpanText text={open} />
            <span class="aside">, which did not flip</span>
          </h3>
          <CaseSides a={a} b={b} name={open} suite={suite} />
        </div>
      )}
    </section>
  );
}

interface FlippedRowProps {
  readonly flipped: FlippedJson;
  readonly isActive: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly children: JSX.Element | null;
}

function FlippedRow({ flipped, isActive, isOpen, onToggle, children }: FlippedRowProps) {
  const { direction, score } = flipped;
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isActive) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  return (
    <li ref={row} class={['flipped-row', isActive ? 'active' : '', isOpen ? 'open' : ''].join(' ')}>
      <button type="button" class="flipped-line" aria-expanded={isOpen} onClick={onToggle}>
        <WordMark kind={direction} mark={isLost(flipped) ? '▼' : '▲'} words={direction.replace('_', ' ')} />
        <SpanText in="b" text={flipped.case} charactersMax={120} />
        <span class="flipped-score">{`score ${textOf(score.a)} → ${textOf(score.b)}`}</span>
        <span class="flipped-why">{whyOf(flipped)}</span>
      </button>
      {children}
    </li>
  );
}

function isLost({ direction }: Pick<FlippedJson, 'direction'>): boolean {
  return direction === 'worse' || direction === 'more_faults';
}

function textOf(score: number | null): string {
  return score === null ? 'none' : scoreText(score);
}

/** `lost correct_time`, and how runs ended that broke off. */
function whyOf({ criteria, ends, direction }: FlippedJson) {
  const lost = criteria.filter(({ a, b }) => b < a).map(({ criterion }) => criterion);
  const won = criteria.filter(({ a, b }) => b > a).map(({ criterion }) => criterion);
  const odd = isLost({ direction }) ? ends.b : ends.a;
  const named = (words: string, names: readonly string[]) =>
    names.length === 0
      ? []
      : [
          <span key={words}>
            {`${words} `}
            <SpanText text={namesOf(names)} />
          </span>,
        ];
  return [
    ...named('lost', lost),
    ...named('won', won),
    ...(odd.length === 0 ? [] : [<span key="ends">{[...new Set(odd)].join(', ').replaceAll('_', ' ')}</span>]),
  ];
}

function namesOf(names: readonly string[]): string {
  const more = names.length - CRITERIA_SHOWN;
  return names.slice(0, CRITERIA_SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
