/** Knowledge of a criterion from conversations that people read, and that did not choose it. */
import { z } from 'zod';
import { counted } from './counted.ts';

const share = z.number().min(0).max(1);
const count = z.int().min(0);
const estimate = z.strictObject({ value: share, lower: share, upper: share });

export const certificateShape = z.strictObject({
  /** The kind of failure that it was looked for; absent where it was written by a person. */
  kind: z.string().max(200).optional(),
  /** Time at which it was measured. */
  at: z.iso.datetime(),
  readings: count.describe('that measure it, and did not choose it'),
  /** Readings on which it fails. */
  fired: count,
  /** Share of these that went badly; its interval allows for all that was tried beside it. */
  precision: estimate,
  bad: share.describe('of all that were read'),
  /** Absent without a kind. */
  ofKind: z
    .strictObject({ fired: estimate, all: share })
    .optional()
    .describe('among the bad ones, the share of the kind: of those that fail it, and of all'),
  missed: count.describe('failures that the suites call fine'),
  added: count.describe('of these, those on which it fails'),
  /** Shares of all conversations at hand: where it applies, and where it fails. */
  applies: share,
  fails: share,
  /** The criterion that fails on the most of the same conversations, and how much of both they are. */
  like: z.strictObject({ criterion: z.string().max(400), share }).optional(),
  /** Its expression asks for no tool, argument, result or ending. */
  asksNoTool: z.literal(true).optional(),
  /** Faults put into good conversations, and those that it notices. */
  faults: z.strictObject({ tried: count, noticed: count }).optional(),
});
export type Certificate = Readonly<z.output<typeof certificateShape>>;

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
  if (certificate.asksNoTool === true)
    says.push('It asks for no tool, argument, result or ending, so it may hold in this sample alone.');
  return says.join(' ');
}

function beside({ fired: { lower, upper }, all }: NonNullable<Certificate['ofKind']>): string {
  return ` (${percent(lower)} to ${percent(upper)}), and ${percent(all)} of all bad ones`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
