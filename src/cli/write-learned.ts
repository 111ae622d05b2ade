/** Writes what `assay learn` found: suites with tests, and certificates beside suites. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { choicesOf } from '../learn/choices.ts';
import type { Learned } from '../learn/learned.ts';
import { learnedSuite } from '../learn/learned-suite.ts';
import type { ReadCase } from '../learn/read-case.ts';
import type { Certificate } from '../model/certificate.ts';
import { errorMessage } from '../model/error-message.ts';
import { certificateFile, certificatesText, chosenKey } from '../score/certificates.ts';
import { loadSuites } from '../score/load-suites.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';
import { testsOf } from './learned-tests.ts';
import { BUILTIN_SUITES, failOn } from './load.ts';
import { withFaults } from './noticed-faults.ts';
import { safe, type Terminal } from './terminal.ts';

export const SUITE_FILE = /\.ya?ml$/;

/** Suites that are files of their own. */
export function ownFiles(suites: readonly string[] = []): readonly string[] {
  return suites.filter((one) => SUITE_FILE.test(one));
}

export function testFileOf(out: string): string {
  return out.replace(SUITE_FILE, '.test.yaml');
}

interface ToWrite {
  readonly learned: readonly Learned[];
  readonly read: {
    readonly cases: readonly ReadCase[];
    /** A criterion of a suite, as `suite/criterion`, is certified. */
    readonly hasCertificate: (criterion: string) => boolean;
  };
}

/** Certificates of suites that are files of their own; built-in ones belong to Assay. */
export async function writeMeasured(
  files: readonly string[],
  { measured, cases }: { readonly measured: ReadonlyMap<string, Certificate>; readonly cases: readonly ReadCase[] },
  terminal: Terminal,
): Promise<void> {
  for (const file of files) {
    const { suites, mistakes } = await loadSuites([file], { baseDir: process.cwd(), builtinDir: BUILTIN_SUITES });
    failOn(mistakes);
    for (const suite of suites) {
      const own = suite.criteria.flatMap(({ name }) => {
        const certificate = measured.get(`${suite.name}/${name}`);
        return certificate === undefined ? [] : [[name, certificate] as const];
      });
      const whole = await withFaults(suite, new Map(own), cases);
      await written(
        certificateFile(file),
        certificatesText(suite, { of: whole, chosenBy: suite.certificates?.chosenBy ?? new Set() }),
      );
      terminal.out(`${certificateFile(file)}: ${own.length} of ${suite.criteria.length} criteria were measured`);
    }
  }
}

export async function writeLearned(out: string, { learned, read }: ToWrite, terminal: Terminal): Promise<void> {
  const choices = choicesOf(learned, read.cases, read.hasCertificate);
  const best = choices.flatMap((one) => (one.is === 'written' ? one : []));
  const leftOut = choices.flatMap((one) =>
    one.is === 'written' ? [] : `Left out, ${safe(one.kind ?? 'other failures', 80)}: ${safe(one.because, 300)}.`,
  );
  if (best.length === 0)
    throw new CommandFailure([`nothing is written to ${out}`, ...leftOut].join('\n  '), EXIT.failed);
  const name = path.basename(out).replace(SUITE_FILE, '');
  await written(out, learnedSuite(name, best));
  const { suites, mistakes } = await loadSuites([path.resolve(out)], {
    baseDir: process.cwd(),
    builtinDir: BUILTIN_SUITES,
  });
  failOn(mistakes);
  const [suite] = suites;
  if (suite === undefined) throw new Error(`${out} holds no suite`);
  const certificates = new Map<string, Certificate>();
  for (const { criterion } of best)
    if (criterion.certificate !== undefined) certificates.set(criterion.name, criterion.certificate);
  const whole = await withFaults(suite, certificates, read.cases);
  const chosenBy = new Set(read.cases.map(({ conversation }) => chosenKey(conversation.id)));
  await written(certificateFile(out), certificatesText(suite, { of: whole, chosenBy }));
  const { text, tests, untold } = testsOf(suite, best, read.cases);
  if (tests > 0) await written(testFileOf(out), text);
  terminal.out(`\n${out}: ${best.length} certified criteria, ${tests} tests. Try them: assay suite test ${out}`);
  for (const one of untold) terminal.out(`No test shows ${one}: a few lines do not hold what was recorded of it.`);
  for (const line of leftOut) terminal.out(line);
}

async function written(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: unknown) => {
    throw new CommandFailure(`write ${file}: ${errorMessage(error)}`, EXIT.input);
  });
}
