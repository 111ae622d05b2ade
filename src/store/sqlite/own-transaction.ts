/** How a part of the store does its work in a transaction of its own, between those of the engine; `what` is for the error inside another one. */
export type OwnTransaction = <T>(what: string, work: () => T) => T;
