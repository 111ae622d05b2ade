/** An OTLP AnyValue. Integers beyond 2^53 are bigints. A kvlist is an object without prototype. */
export type AttributeValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly AttributeValue[]
  | { readonly [key: string]: AttributeValue };
