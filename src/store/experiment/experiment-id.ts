/** The id of an experiment: when it began, and chance. */
export function newExperimentId(startedAt: Date, chance: string): string {
  const digits = startedAt.toISOString().replaceAll(/\D/g, '');
  return `${digits.slice(0, 8)}-${digits.slice(8, 14)}-${chance}`;
}
