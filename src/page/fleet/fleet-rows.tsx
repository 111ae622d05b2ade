/** Rows of the fleet. Only those in sight are in the document, so that a thousand agents scroll like ten. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { FleetAgent } from '../../api/fleet.ts';
import type { ApiEstimate } from '../../api/shapes.ts';
import { wordsOf } from '../../model/suite-words.ts';
import { WIDE } from '../../model/wide.ts';
import { useWindow } from '../shell/use-window.ts';
import { capitalized } from '../text/capitalized.ts';
import { scoreRange, scoreText } from '../text/format.ts';
import { SpanText } from '../text/span-text.tsx';
import { Time } from '../text/time.tsx';

interface RowsProps {
  readonly agents: readonly FleetAgent[];
  /** The row that the keys are at. */
  readonly active: number | undefined;
  readonly hrefOf: (one: FleetAgent) => string;
  readonly onActive: (index: number) => void;
}

export function FleetRows({ agents, active, hrefOf, onActive }: RowsProps) {
  const frame = useRef<HTMLDivElement>(null);
  const { first, last, heightOf, scrollTo } = useWindow(frame, { count: agents.length, rowHeight: '--list-row' });
  useLayoutEffect(() => {
    if (active !== undefined) scrollTo(active);
  }, [active]);
  return (
    <div class="fleet-table">
      <div class="fleet-heads aside" aria-hidden="true">
        <span>Agent</span>
        <span>What changed</span>
        <span class="number">Failures/h</span>
        <span class="number">Traffic/h</span>
        <span class="number">Score</span>
        <span>Newest version</span>
      </div>
      <div ref={frame} class="row-frame fleet-frame" tabIndex={-1}>
        <ol class="rows" ref={heightOf(agents.length)}>
          {agents.slice(first, last).map((one, offset) => {
            const index = first + offset;
            return (
              <li
                key={one.agent}
                ref={heightOf.place(index)}
                class={index === active ? 'row active' : 'row'}
                aria-setsize={agents.length}
                aria-posinset={index + 1}
              >
                <FleetRow one={one} href={hrefOf(one)} onFocus={() => onActive(index)} />
              </li>
            );
          })}
        </ol>
      </div>
    </div>
  );
}

interface RowProps {
  readonly one: FleetAgent;
  readonly href: string;
  readonly onFocus: () => void;
}

export function FleetRow({ one, href, onFocus }: RowProps) {
  const { agent, sentence, about, scope, per_hour: perHour, failures_per_hour: failed, score, newest } = one;
  return (
    <a href={href} class={`fleet-link ${standingOf(one)}`} title={sentence} onFocus={onFocus}>
      <SpanText in="b" class="fleet-agent" text={agent} charactersMax={100} />
      <SpanText in="span" class="fleet-sentence" text={sentence} charactersMax={400} />
      <span class="fleet-failures number">
        <span class="fleet-unit">{'Failures/h '}</span>
        {perHour === 0 ? '–' : <Failures of={failed} />}
      </span>
      <span class="fleet-traffic number">
        <span class="fleet-unit">{`${capitalized(scope)}s/h `}</span>
        {rateText(perHour)}
      </span>
      <span class="fleet-score number">
        <span class="fleet-unit">{`${capitalized(wordsOf(about).score)} `}</span>
        {perHour === 0 ? '–' : <Score of={score} />}
      </span>
      <span class="fleet-version">
        {newest !== undefined && (
          <>
            <SpanText text={newest.agent_version} charactersMax={40} />
            <span class="aside">
              {', '}
              <Time at={newest.since} />
            </span>
          </>
        )}
      </span>
    </a>
  );
}

const STANDINGS: Readonly<Record<FleetAgent['change']['word'], 'fell' | 'rose' | 'same'>> = {
  worse: 'fell',
  more_faults: 'fell',
  better: 'rose',
  fewer_faults: 'rose',
  no_difference_shown: 'same',
  not_enough_evidence: 'same',
};

/** As its sentence begins: an alarm or a change for the worse goes before one for the better. */
export function standingOf({ change, newest, alarms }: FleetAgent): 'fell' | 'rose' | 'same' {
  const words = [change, newest?.change].flatMap((one) => (one === undefined ? [] : STANDINGS[one.word]));
  if (alarms > 0 || words.includes('fell')) return 'fell';
  return words.includes('rose') ? 'rose' : 'same';
}

function Failures({ of }: { readonly of: ApiEstimate | undefined }) {
  if (of === undefined) return 'too few';
  return (
    <>
      {rateText(of.value)} <span class="range">{`(${rateText(of.low)}–${rateText(of.high)})`}</span>
    </>
  );
}

function Score({ of }: { readonly of: ApiEstimate | undefined }) {
  if (of === undefined || of.high - of.low > WIDE) return 'too few';
  return <span title={`95 % interval ${scoreRange(of)}`}>{scoreText(of.value)}</span>;
}

/** Tenths, and none from a hundred on. */
function rateText(perHour: number): string {
  if (perHour > 0 && perHour < 0.05) return '< 0.1';
  return perHour < 99.95 ? perHour.toFixed(1) : Math.round(perHour).toLocaleString('en');
}
