/** Id of the list of all kinds, from which fields complete. */
export const KINDS = 'kinds-of-failure';
