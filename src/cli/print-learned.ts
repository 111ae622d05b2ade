/** Prints for each kind of failure the best criteria, and what is known of each: `assay learn`. */
import { isKnownGood, type Learned, type LearnedCriterion } from '../learn/learned.ts';
import { type Certificate, certificateWords, isCertified } from '../model/certificate.ts';
import { counted } from '../model/counted.ts';
import type { ReadRecording } from '../offline/read-cases.ts';
import { percent, safe, type Terminal } from './terminal.ts';

export function printLearned(terminal: Terminal, learned: readonly Learned[], { cases, traffic }: ReadRecording): void {
  const { out, paint } = terminal;
  const bad = cases.filter(({ isBad }) => isBad).length;
  const chosen = cases.filter(({ weight }) => weight === 0).length;
  const note = chosen === 0 ? '' : `; ${chosen} were not read in their turn, and measure nothing`;
  out(`${counted(cases.length, 'conversation')} read, ${bad} of which went badly${note}`);
  for (const { kind, readings, criteria, notes } of learned) {
    const name = kind === undefined ? 'other failures that the suites call fine' : safe(kind, 80);
    out(`\n${paint('bold', name)}  ${paint('dim', counted(readings, 'reading'))}`);
    if (criteria.length === 0) out('  Nothing was found that tells them from conversations that went well.');
    if (kind !== undefined && !criteria.some(isKnownGood)) printForJudge(terminal, kind, notes);
    for (const criterion of criteria) printCriterion(terminal, criterion, traffic.length);
  }
}

/** A model can be asked where no expression tells; its criterion is measured like any other, by `--certify`. */
function printForJudge({ out }: Terminal, kind: string, notes: readonly string[]): void {
  const examples = notes.map((note) => safe(note, 200)).join('; ');
  out(`  A judge could be asked (docs/score/judges.md): Did the agent keep from this: ${safe(kind, 80)}?`);
  if (examples !== '') out(`      guidance  No, as in: ${examples}`);
}

/** Criteria of the suites at hand, those first of which most is known. */
export function printMeasured({ out, paint }: Terminal, measured: ReadonlyMap<string, Certificate>): void {
  if (measured.size === 0) return;
  out(`\n${paint('bold', 'criteria of your suites')}`);
  const all = [...measured].toSorted(([, a], [, b]) => b.precision.lower - a.precision.lower);
  for (const [name, certificate] of all) {
    out(`  ${paint(isCertified(certificate) ? 'green' : 'yellow', safe(name, 120))}`);
    out(`      ${certificateWords(certificate)}`);
  }
}

function printCriterion({ out, paint }: Terminal, criterion: LearnedCriterion, count: number): void {
  const { name, question, when, check, certificate, foundIn } = criterion;
  out(`  ${paint(isKnownGood(criterion) ? 'green' : 'yellow', safe(name))}  ${safe(question, 300)}`);
  if (when !== undefined) out(`      when   ${safe(when, 1_000)}`);
  out(`      check  ${safe(check, 1_000)}`);
  if (certificate === undefined) {
    const why = foundIn === 0 ? 'without some readings it is not found' : 'no reading that lots chose fails it';
    out(`      Not measured: ${why}.`);
    return;
  }
  const { applies, fails, like } = certificate;
  out(`      ${certificateWords(certificate)}`);
  const also = like === undefined ? '' : `; ${percent(like.share)} alike with ${safe(like.criterion, 120)}`;
  out(
    paint(
      'dim',
      `      applies to ${percent(applies)} of the ${counted(count, 'conversation')} at hand, fails on ${percent(fails)}${also}`,
    ),
  );
}
