/** Rows of one transaction that the engine only adds to: they are written with it, and nobody reads them before. */
export class AddedRows<T> {
  #rows: T[] = [];

  get rows(): readonly T[] {
    return this.#rows;
  }

  add(row: T): void {
    this.#rows.push(row);
  }

  clear(): void {
    this.#rows = [];
  }
}
