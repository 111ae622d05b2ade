/**
 * Which of several criteria have regressed (e-BH, Wang and Ramdas, on the evidence as it stands now).
 *
 * With K criteria the alarm level of k findings is K/k times that of one alone: k is the largest number for which k
 * criteria have evidence of at least K/k alarm levels. Since k × K/k = K, the mean over all criteria has then reached
 * one alarm level, and that mean is itself a statistic of change-evidence.ts. So if nothing is wrong anywhere, a false
 * finding among K dependent criteria is no likelier than one in a single level. It is fed with present values, never
 * with the largest that were seen: those would not be controlled. Given as evidence over alarm level; 0 where there is
 * none.
 */
export function stepUp(standings: readonly number[], considered: number): number {
  const falling = [...standings].sort((one, other) => other - one);
  let found = 0;
  for (let index = 0; index < falling.length; index += 1)
    if ((falling[index] as number) * (index + 1) >= considered) found = index + 1;
  return found === 0 ? Number.POSITIVE_INFINITY : considered / found;
}
