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

export function ShareEstimate({ estimate, of }: EstimateProps) {
  if (estimate === undefined) return 'not known';
  return figure(percent(estimate.value), percentRange(estimate), ' %', estimate, of);
}

/** Evaluations with a fault, of 100, from the share of those without. */
export function FaultEstimate({ estimate }: { readonly estimate: ApiEstimate }) {
  const of100 = (share: number) => ((1 - share) * 100).toFixed(1);
  return figure(of100(estimate.value), `${of100(estimate.high)}–${of100(estimate.low)}`, '', estimate);
}

export function ScoreEstimate({ estimate }: EstimateProps) {
  if (estimate === undefined) return 'not known';
  return figure(scoreText(estimate.value, 3), scoreRange(estimate), '', estimate);
}

/** The unit stands behind the range where that is read first. */
function figure(value: string, range: string, unit: string, { n, low, high }: ApiEstimate, of = 'evaluation') {
  const isOpen = high - low > OPEN;
  return (
    <span class="estimate" title={`95 % interval, from ${counted(n, of)}`}>
      <span class="value">{isOpen ? `${range}${unit}` : value}</span>{' '}
      <span class="range">{isOpen ? `(${value} in ${counted(n, of)})` : `(${range})`}</span>
    </span>
  );
}
