/** A value as JSON has it. Objects from spans have a null prototype, so that a key `__proto__` is just a key. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
