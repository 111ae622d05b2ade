/** Knowledge of a criterion from conversations that people read, and that did not choose it. */
import type { Estimate } from './estimate.ts';
import { counted } from './counted.ts';

export interface Certificate {
  /** The kind of failure that it was looked for; absent where it was written by a person. */
  readonly kind?: string | undefined;
  /** Time at which it was measured, in ISO 8601. */
  readonly at: string;
  /** Readings that measure it, and those of them on which it fails. */
  readonly readings: number;
  readonly fired: number;
  /** Share of these that went badly; its interval allows for all that was tried beside it. */
  readonly precision: Estimate;
  /** Share of bad conversations among all readings. */
  readonly bad: number;
  /** Failures that other suites call fine, and those of them on which it fails. */
  readonly missed: number;
  readonly added: number;
  /** Shares of all conversations at hand: where it applies, and where it fails. */
  readonly applies: number;
  readonly fails: number;
  /** The criterion that fails on the most of the same conversations, and how much of both they are. */
  readonly like?: { readonly criterion: string; readonly share: number } | undefined;
  /** Faults put into good conversations, and those that it notices. */
  readonly faults?: { readonly tried: number; readonly noticed: number } | undefined;
}

export function isCertified({ precision, bad }: Pick<Certificate, 'precision' | 'bad'>): boolean {
  return precision.lower > bad;
}

/** One sentence, the same on every surface. */
export function certificateWords(certificate: Certificate): string {
  const { precision, bad, readings, fired, added, missed, faults } = certificate;
  const { value, lower, upper } = precision;
  const right = `${percent(value)} (${percent(lower)} to ${percent(upper)}) of the conversations that fail it went badly`;
  const from = `from ${counted(fired, 'such reading')} of ${readings}`;
  const base = `${percent(bad)} of all read ones did`;
  const adds = missed === 0 ? '' : ` It finds ${added} of ${counted(missed, 'failure')} that the suites call fine.`;
  const broken =
    faults === undefined
      ? ''
      : ` It notices ${faults.noticed} of ${counted(faults.tried, 'fault')} put into good ones.`;
  return isCertified(certificate)
    ? `Certified: ${right}, ${from}; ${base}.${adds}${broken}`
    : `Not certified: ${right}, ${from}, and ${base}: that may be chance.${adds}${broken}`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
