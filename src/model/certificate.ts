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
  /** Among the bad ones, the share of the kind: of those on which it fails, and of all. Absent without a kind. */
  readonly ofKind?: { readonly fired: Estimate; readonly all: number } | undefined;
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

/** Knowledge of the criteria of a suite. */
export interface Certificates {
  readonly of: ReadonlyMap<string, Certificate>;
  /** Hashes of the conversations whose readings chose the criteria: they measure none of them. */
  readonly chosenBy: ReadonlySet<string>;
}

/** More of what it fails went badly than of all, and more of that is of the kind than of all that went badly. */
export function isCertified({ precision, bad, ofKind }: Pick<Certificate, 'precision' | 'bad' | 'ofKind'>): boolean {
  return precision.lower > bad && (ofKind === undefined || ofKind.fired.lower > ofKind.all);
}

/** A few sentences, the same on every surface. */
export function certificateWords(certificate: Certificate): string {
  const { precision, bad, ofKind, readings, fired, added, missed, faults } = certificate;
  const { value, lower, upper } = precision;
  const right = `${percent(value)} (${percent(lower)} to ${percent(upper)}) of the conversations that fail it went badly`;
  const from = `from ${counted(fired, 'such reading')} of ${readings}`;
  const says = [
    `${isCertified(certificate) ? 'Certified' : 'Not certified'}: ${right}, ${from}; of all about ${percent(bad)} do.`,
  ];
  if (ofKind !== undefined) says.push(`${percent(ofKind.fired.value)} of these are of the kind${beside(ofKind)}.`);
  if (missed > 0) says.push(`It finds ${added} of ${counted(missed, 'failure')} that the suites call fine.`);
  if (faults !== undefined)
    says.push(`It notices ${faults.noticed} of ${counted(faults.tried, 'fault')} put into good ones.`);
  return says.join(' ');
}

function beside({ fired: { lower, upper }, all }: NonNullable<Certificate['ofKind']>): string {
  return ` (${percent(lower)} to ${percent(upper)}), and ${percent(all)} of all bad ones`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
