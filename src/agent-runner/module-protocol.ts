/** Messages between Assay and the process in which a module runs. */
import type { Json } from '../model/json.ts';

export interface ToModule {
  readonly call: number;
  readonly request: { readonly [key: string]: Json };
  readonly environment: { readonly [name: string]: string };
}

export type FromModule =
  | { readonly is: 'ready' }
  | { readonly is: 'not-loaded'; readonly because: string }
  | { readonly is: 'answered'; readonly call: number; readonly answer: Json; readonly isFlushed: boolean }
  | { readonly is: 'failed'; readonly call: number; readonly because: string; readonly isFlushed: boolean };
