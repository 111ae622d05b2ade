/**
 * A suite with other weights: a slider, a number and a switch for each criterion, and what stored conversations would
 * have scored. The address keeps the weights; nothing of the suite changes.
 */
import type { TargetedEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SuiteList } from '../../api/suite-list.ts';
import { goTo } from '../shell/navigation.ts';
import { addressOf, type Place } from '../shell/place.ts';
import { Here } from '../shell/here.tsx';
import { percent } from '../text/format.ts';
import { SpanText } from '../text/span-text.tsx';
import { useWhatIf } from './use-what-if.ts';
import {
  ignoredIn,
  isMoved,
  mistakeIn,
  type Moved,
  movedIn,
  sharesOf,
  UNMOVED,
  whyNoShares,
  withMoved,
  withSwitch,
  withWeight,
} from './weights.ts';
import { WhatIfResult } from './what-if-result.tsx';

type Suite = SuiteList['suites'][number];

interface WhatIfProps {
  readonly suite: Suite;
  readonly place: Place;
  /** Time that the view shows. */
  readonly since: string;
  /** Whether it is the first suite of the view. */
  readonly isFirst: boolean;
}

export function WhatIfSection({ suite, place, since, isFirst }: WhatIfProps) {
  const inAddress = movedIn(place.query, suite, { isFirst });
  const { moved, isPending, change } = useMoved(inAddress, (next) =>
    goTo(addressOf('suites', withMoved(place.query, suite.name, next)), { replaces: true }),
  );
  const ignored = ignoredIn(place.query, suite, { isFirst });
  const isAsked = isMoved(inAddress) || ignored.length > 0;
  const [isOpen, setOpen] = useState(isAsked);
  // A link to these weights, or back to them.
  useEffect(() => {
    if (isAsked) setOpen(true);
  }, [isAsked]);
  const section = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (isAsked) section.current?.scrollIntoView({ block: 'start' });
  }, []);
  const shares = sharesOf(suite, moved);
  const asks = isOpen && sharesOf(suite, inAddress) !== undefined;
  const { reply, isOld } = useWhatIf(asks ? questionOf(suite, inAddress, place, since) : undefined);
  return (
    <details
      ref={section}
      class="what-if"
      open={isOpen}
      onToggle={({ currentTarget }: TargetedEvent<HTMLDetailsElement>) => setOpen(currentTarget.open)}
    >
      <summary>What if the weights were different?</summary>
      {isOpen && (
        <div class="what-if-parts">
          <fieldset>
            <legend class="only-heard">{`Weights of ${suite.name}`}</legend>
            {ignored.slice(0, IGNORED_SHOWN).map((why) => (
              <SpanText key={why} in="p" class="limits" text={why} charactersMax={120} />
            ))}
            {suite.criteria.map((criterion) => (
              <WeightRow
                key={criterion.name}
                suite={suite.name}
                criterion={criterion}
                moved={moved}
                share={shares?.get(criterion.name)}
                change={change}
              />
            ))}
            <button type="button" disabled={!isMoved(moved)} onClick={() => change(UNMOVED)}>
              Reset to the suite
            </button>
          </fieldset>
          {shares === undefined ? (
            <div class="limits" role="status">
              {whyNoShares(suite, moved).map((why) => (
                <SpanText key={why} in="p" text={why} />
              ))}
            </div>
          ) : (
            <div class={isOld || isPending ? 'old' : undefined} aria-busy={isOld || isPending}>
              <Here of={{ reply }} wait="Weighing …">
                {(answer) => <WhatIfResult answer={answer} about={suite.about} />}
              </Here>
            </div>
          )}
        </div>
      )}
    </details>
  );
}

function questionOf(suite: Suite, { weights, off }: Moved, { query }: Place, since: string): string {
  const agent = query.get('agent');
  return JSON.stringify({
    suite: suite.name,
    since,
    ...(agent === null ? {} : { agent }),
    weights: Object.fromEntries([...weights].map(([name, weight]) => [name, Number(weight)])),
    off: [...off],
  });
}

const IGNORED_SHOWN = 5;
const PAUSE_MS = 250;

/** Moves at once, and goes into the address when the reader pauses: browsers refuse an address for each pixel of a slider. */
function useMoved(inAddress: Moved, write: (moved: Moved) => void) {
  const [draft, setDraft] = useState<Moved | undefined>();
  useEffect(() => {
    if (draft === undefined) return;
    const timer = setTimeout(() => {
      write(draft);
      setDraft(undefined);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft]);
  return { moved: draft ?? inAddress, isPending: draft !== undefined, change: setDraft };
}

interface RowProps {
  readonly suite: string;
  readonly criterion: Suite['criteria'][number];
  readonly moved: Moved;
  readonly share: number | undefined;
  readonly change: (moved: Moved) => void;
}

const LEAST = 0.01;

function WeightRow({ suite, criterion, moved, share, change }: RowProps) {
  const { name, critical, written_weight: written } = criterion;
  const isOn = !moved.off.has(name);
  const weight = moved.weights.get(name) ?? String(written);
  const mistake = isOn && moved.weights.has(name) ? mistakeIn(weight) : undefined;
  const id = `weight-${suite}-${name}`;
  const [typed, setTyped] = useState<string | undefined>();
  const onSlide = ({ currentTarget }: TargetedEvent<HTMLInputElement>) =>
    change(withWeight(moved, criterion, currentTarget.value));
  const onType = ({ currentTarget }: TargetedEvent<HTMLInputElement>) => {
    // As it is typed: 0.50 may become 0.505.
    setTyped(currentTarget.value);
    change(withWeight(moved, criterion, currentTarget.value));
  };
  const onSwitch = ({ currentTarget }: TargetedEvent<HTMLInputElement>) =>
    change(withSwitch(moved, name, { isOn: currentTarget.checked }));
  return (
    <div class={moved.weights.has(name) || !isOn ? 'weight-row moved-weight' : 'weight-row'}>
      <label class="criterion-name" for={id}>
        {name}
      </label>
      <input
        type="range"
        aria-label={`Weight of ${name}, slider`}
        min={LEAST}
        max={1}
        step={LEAST}
        value={weight}
        disabled={!isOn}
        onInput={onSlide}
      />
      <input
        id={id}
        type="number"
        min={0}
        max={1}
        step={LEAST}
        value={typed ?? weight}
        disabled={!isOn}
        aria-invalid={mistake !== undefined}
        aria-describedby={`${id}-said`}
        onInput={onType}
        onBlur={() => setTyped(undefined)}
      />
      <label class="switch" title={critical ? CRITICAL : undefined}>
        {/* biome-ignore lint/a11y/useAriaPropsForRole: HTML forbids aria-checked here, because a checkbox has its state */}
        <input type="checkbox" role="switch" checked={isOn} disabled={critical} onInput={onSwitch} />
        {critical ? 'critical' : 'on'}
        <span class="only-heard">{critical ? `: ${name} ${CRITICAL}` : `: ${name} counts in the score`}</span>
      </label>
      <span id={`${id}-said`} class={mistake === undefined ? 'share aside' : 'share mistake'}>
        {mistake ?? (share === undefined ? '' : percent(share, 1))}
      </span>
    </div>
  );
}

const CRITICAL = 'caps the outcome whatever its weight, so it cannot be switched off';
