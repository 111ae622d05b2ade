/** A start is refused because data are lost and nobody has decided about it. Its message is for people. */
export class LossUndecided extends Error {}
