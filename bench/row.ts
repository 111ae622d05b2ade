/** One claim of speed or size: our number, the reference's in the same run, and their ratio. */
export interface BenchRow {
  readonly name: string;
  readonly ours: number;
  readonly reference: number;
  readonly ratio: number;
}
