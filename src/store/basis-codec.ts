/**
 * Encodes the data that the store keeps to weigh an evaluation again. These are the id of the suite's definition, one
 * digit for completed (1) and failed (2), a digit for each verdict in the suite's order, and behind them
 * `<place>:<version>` for each that a judge gave. Few texts differ, so whoever weighs many of them has seen most
 * before.
 *
 *     6f0c2a91b3d4e5f6 1 00120 4:0a1b2c3d4e5f
 */
import { type Evaluation, type VerdictKind, VERDICTS } from '../model/evaluation.ts';
import { partsOf } from '../model/verdict-parts.ts';

export interface Basis {
  readonly definition: string;
  /** Undefined where they could not be worked out. */
  readonly conditions: { readonly completed: boolean; readonly failed: boolean } | undefined;
  readonly verdicts: readonly { readonly verdict: VerdictKind; readonly judgeVersion: string | undefined }[];
}

const UNKNOWN = '-';

/** Undefined where it was not said by what it was made. */
export function encodeBasis({ basis, verdicts }: Pick<Evaluation, 'basis' | 'verdicts'>): string | undefined {
  if (basis === undefined) return undefined;
  const { definition, conditions } = basis;
  const state =
    conditions === undefined ? UNKNOWN : String((conditions.completed ? 1 : 0) + (conditions.failed ? 2 : 0));
  let kinds = '';
  let judged = '';
  let place = 0;
  for (const verdict of verdicts.values()) {
    const { judgedBy } = partsOf(verdict);
    kinds += VERDICTS.indexOf(verdict.verdict);
    if (judgedBy !== undefined) judged += ` ${place}:${judgedBy.version}`;
    place += 1;
  }
  return `${definition} ${state} ${kinds}${judged}`;
}

export function decodeBasis(text: string): Basis {
  const [definition = '', state = UNKNOWN, kinds = '', ...judged] = text.split(' ');
  const versions = new Map(
    judged.map((one) => {
      const colon = one.indexOf(':');
      return [Number(one.slice(0, colon)), one.slice(colon + 1)] as const;
    }),
  );
  const bits = Number(state);
  return {
    definition,
    conditions: state === UNKNOWN ? undefined : { completed: (bits & 1) !== 0, failed: (bits & 2) !== 0 },
    verdicts: [...kinds].map((digit, place) => {
      const verdict = VERDICTS[Number(digit)];
      if (verdict === undefined) throw new Error(`store: ${digit} is not the number of a verdict`);
      return { verdict, judgeVersion: versions.get(place) };
    }),
  };
}
