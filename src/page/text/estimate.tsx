/** A figure with its interval and what it rests on: none of the three is ever shown without the others. */
import type { ApiEstimate } from '../../api/shapes.ts';
import { counted, percent, percentRange, scoreRange, scoreText } from './format.ts';

interface EstimateProps {
  /** Undefined where it is not known. */
  readonly estimate: ApiEstimate | undefined;
  /** Name of one that it rests on. */
  readonly of?: string;
}

export function ShareEstimate({ estimate, of }: EstimateProps) {
  if (estimate === undefined) return 'not known';
  return figure(percent(estimate.value), percentRange(estimate), estimate, of);
}

/** Evaluations with a fault, of 100, from the share of those without. */
export function FaultEstimate({ estimate }: { readonly estimate: ApiEstimate }) {
  const of100 = (share: number) => ((1 - share) * 100).toFixed(1);
  return figure(of100(estimate.value), `${of100(estimate.high)}–${of100(estimate.low)}`, estimate);
}

export function ScoreEstimate({ estimate }: EstimateProps) {
  if (estimate === undefined) return 'not known';
  return figure(scoreText(estimate.value, 3), scoreRange(estimate), estimate);
}

function figure(value: string, range: string, { n }: ApiEstimate, of = 'evaluation') {
  return (
    <span class="estimate" title={`95 % interval, from ${counted(n, of)}`}>
      <span class="value">{value}</span> <span class="range">{`(${range})`}</span>
    </span>
  );
}
