/** Messages between the main thread and the thread of one export. It reads on when it is asked for more. */
import type { SuiteOutline } from '../../engine/suite-outline.ts';
import type { ExportQuery } from '../../api/export.ts';
import type { StorePlace } from '../store-place/open-reader.ts';

export interface ExportStart {
  readonly store: StorePlace;
  readonly suites: readonly SuiteOutline[];
  readonly query: ExportQuery;
}

export type ToExport = { readonly type: 'more' };

export type FromExport =
  | { readonly type: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly type: 'end' }
  | { readonly type: 'failed'; readonly error: string };
