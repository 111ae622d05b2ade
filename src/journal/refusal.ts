/** Why a batch was not written. */
export type Refusal = {
  readonly because: 'journal-full' | 'disk-full' | 'disk-error';
  readonly detail: string;
};

export function refusalFrom(error: unknown): Refusal {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  return { because: full ? 'disk-full' : 'disk-error', detail: `write the journal: ${String(error)}` };
}
