/** Orders of a list of conversations. */
export const LIST_ORDERS = ['latest', 'worst', 'turns', 'longest'] as const;
export type ListOrder = (typeof LIST_ORDERS)[number];
