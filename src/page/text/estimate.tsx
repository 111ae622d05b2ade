/**
 * A figure with its interval and what it rests on: none of the three is ever shown without the others. An interval that
 * leaves nearly everything open is read first.
 */
import type { ApiEstimate } from '../../api/shapes.ts';
import { counted, percent, percentRange, scoreRange, scoreText } from './format.ts';

/** A wider interval leaves more open than it rules out. */
const OPEN = 0.5;

interface EstimateProps {
  /** Undefined where it is not known. */
  readonly estimate: ApiEstimate | undefined;
  /** Name of one that it rests on. */
  readonly of?: string;
}

interface ShareProps extends EstimateProps {
  /** It stands by itself, and in no sentence or column: a range that is open is read first. */
  readonly isAlone?: boolean;
}

export function ShareEstimate({ estimate, of, isAlone = false }: ShareProps) {
  if (estimate === undefined) return 'not known';
  const range = percentRange(estimate);
  return figure({ value: percent(estimate.value), range, ...(isAlone ? { ifOpen: `${range} %` } : {}) }, estimate, of);
}

/** Evaluations with a fault, of 100, from the share of those without. */
export function FaultEstimate({ estimate }: { readonly estimate: ApiEstimate }) {
  const of100 = (share: number) => ((1 - share) * 100).toFixed(1);
  const range = `${of100(estimate.high)}–${of100(estimate.low)}`;
  return figure({ value: of100(estimate.value), range, ifOpen: range }, estimate);
}

export function ScoreEstimate({ estimate }: EstimateProps) {
  if (estimate === undefined) return 'not known';
  return figure({ value: scoreText(estimate.value, 3), range: scoreRange(estimate) }, estimate);
}

interface Figure {
  readonly value: string;
  readonly range: string;
  /** Read first where a share may be nearly anything. */
  readonly ifOpen?: string;
}

function figure({ value, range, ifOpen }: Figure, { n, low, high }: ApiEstimate, of = 'evaluation') {
  const open = high - low > OPEN ? ifOpen : undefined;
  return (
    <span class="estimate" title={`95 % interval, from ${counted(n, of)}`}>
      <span class="value">{open ?? value}</span>{' '}
      <span class="range">{open === undefined ? `(${range})` : `(${value} in ${counted(n, of)})`}</span>
    </span>
  );
}
