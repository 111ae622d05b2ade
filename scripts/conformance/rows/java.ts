import type { Row } from '../row.ts';

export const JAVA_ROWS: readonly Row[] = [];
