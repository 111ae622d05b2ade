/** Events about the condition of the data folder. */
import type { DamageKind } from '../damage.ts';

export type DamageEvent =
  /** Before a start changes the store to what this version needs. `discards` is what that throws away. */
  | {
      readonly type: 'store-upgrading';
      readonly from: string;
      readonly to: string;
      readonly discards: readonly string[];
    }
  /** At the start. */
  | { readonly type: 'damage-found'; readonly kind: DamageKind; readonly what: string }
  /** Moved out of the way of a start. */
  | { readonly type: 'set-aside'; readonly files: readonly string[] }
  /** Stored spans fail their checksum, or are gone. */
  | { readonly type: 'content-damaged'; readonly what: string; readonly reason: string }
  /** Whether the store of one machine takes transactions. */
  | { readonly type: 'store-writable'; readonly problem: string | undefined }
  /** The wall clock differs by so much from the time that has passed; undefined: it is trusted again. */
  | { readonly type: 'clock-jumped'; readonly byMs: number | undefined };
