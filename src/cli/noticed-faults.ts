/** Faults that criteria notice in conversations that went well (`assay suite mutate`), for their certificates. */
import { FAULTS } from '../mutate/all-faults.ts';
import { retell } from '../mutate/retell.ts';
import type { ReadCase } from '../learn/read-case.ts';
import type { Certificate } from '../model/certificate.ts';
import { mutateSuite } from '../offline/mutation/mutate-suites.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';

const BROKEN_MAX = 10;
const SEED = 1;

export async function withFaults(
  suite: CompiledSuite,
  certificates: ReadonlyMap<string, Certificate>,
  cases: readonly ReadCase[],
): Promise<ReadonlyMap<string, Certificate>> {
  const good = cases.flatMap(({ conversation, isBad }) =>
    isBad ? [] : [{ golden: { name: conversation.id, from: 'readings' }, conversation, excerpt: retell(conversation) }],
  );
  const options = { faults: FAULTS, seed: SEED, placesMax: 1, goldensMax: BROKEN_MAX };
  const { criteria } = await mutateSuite(suite, good, options);
  const counts = new Map(criteria.map((one) => [one.criterion, one]));
  return new Map(
    [...certificates].map(([name, certificate]) => {
      const { noticed = 0, notNoticed = 0 } = counts.get(name) ?? {};
      const tried = noticed + notNoticed;
      return [name, tried === 0 ? certificate : { ...certificate, faults: { tried, noticed } }] as const;
    }),
  );
}
