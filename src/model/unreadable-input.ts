/** A file that a person named cannot be read, or is not there; its message is for that person. */
export class UnreadableInput extends Error {}
