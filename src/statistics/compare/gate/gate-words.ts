/** Figures of a gate as a person reads them: shares in percent, their differences in points, what is relative in percent of the baseline. */
import { counted } from '../../../model/counted.ts';
import type { JudgedRule, LeftOut } from '../../../model/gate.ts';
import { unreachable } from '../../../model/unreachable.ts';
import { needsBaseline, type SingleRule } from './gate-rules.ts';

type Unit = 'share' | 'points' | 'percent' | 'of_baseline' | 'usd' | 'number';

const MINUS = '\u2212';

export function unitOf({ measure, limit, isOfBaseline }: Pick<SingleRule, 'measure' | 'limit' | 'isOfBaseline'>): Unit {
  switch (measure.is) {
    case 'cost_per_success':
      return needsBaseline(limit) ? 'percent' : 'usd';
    case 'cost_efficiency':
    case 'steps_per_success':
    case 'tokens_per_success':
      return needsBaseline(limit) ? 'percent' : 'number';
    case 'score':
    case 'success':
    case 'criterion':
    case 'failed_runs':
    case 'unscored':
    case 'outcome':
    case 'pass_hat':
    case 'pass_at':
      if (!needsBaseline(limit)) return 'share';
      return isOfBaseline ? 'of_baseline' : 'points';
    default:
      return unreachable(measure);
  }
}

export function formatFigure(value: number, unit: Unit): string {
  if (Number.isNaN(value)) return 'unknown';
  if (!Number.isFinite(value)) return value > 0 ? 'any more' : 'any less';
  switch (unit) {
    case 'share':
      return `${plain(value * 100, 1)} %`;
    case 'points':
      return `${signed(value * 100, 1)} points`;
    case 'percent':
    case 'of_baseline':
      return `${signed(value * 100, 1)} %`;
    case 'usd':
      return `$${plain(value, 6)}`;
    case 'number':
      return plain(value, 1);
    default:
      return unreachable(unit);
  }
}

export function formatInterval(lower: number, upper: number, unit: Unit): string {
  return `${formatFigure(lower, unit)} to ${formatFigure(upper, unit)}`;
}

export function formatAllowed({ limit, allowed, isOnCases }: SingleRule, unit: Unit): string {
  const figure = formatFigure(allowed, unit).replace('+', '');
  const amount = unit === 'of_baseline' ? `${figure} of the baseline` : figure;
  const where = isOnCases ? ' on these cases' : '';
  switch (limit) {
    case 'floor':
      return `at least ${amount}`;
    case 'ceiling':
      return `at most ${amount}`;
    case 'max_drop':
      return `at most ${amount} down${where}`;
    case 'max_rise':
      return `at most ${amount} up${where}`;
    default:
      return unreachable(limit);
  }
}

/** Name such as `tcr max_drop`, or `cases_worse`. */
export function nameOfRule(rule: JudgedRule): string {
  return rule.is === 'limit' ? `${rule.rule} ${rule.limit}` : rule.rule;
}

/** Text such as `p = 0.012`. */
export function formatP(p: number): string {
  return p < 0.001 ? 'p < 0.001' : `p = ${Number(p.toPrecision(2))}`;
}

export function formatCases(count: number): string {
  return counted(count, 'case');
}

const LEFT_OUT_WORDS = {
  only_in_baseline: 'only in the baseline',
  only_in_candidate: 'only in the candidate',
  changed: 'changed since the baseline',
  not_scored: 'not scored by the suite',
} as const satisfies Record<LeftOut, string>;

/** Empty where there are none. */
export function formatLeftOut(reason: LeftOut, count: number): readonly string[] {
  return count === 0 ? [] : [`${count} ${LEFT_OUT_WORDS[reason]}`];
}

function plain(value: number, places: number): string {
  const text = trimmed(Math.abs(value).toFixed(places));
  return value < 0 && text !== '0' ? `${MINUS}${text}` : text;
}

function signed(value: number, places: number): string {
  const text = plain(value, places);
  return value > 0 && text !== '0' ? `+${text}` : text;
}

function trimmed(digits: string): string {
  return digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
}
