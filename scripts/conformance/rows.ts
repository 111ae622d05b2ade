/** Every row that the robot plays. A new framework is an agent script and a line here. */
import { JAVA_ROWS } from './rows/java.ts';
import { JAVASCRIPT_ROWS } from './rows/javascript.ts';
import { PYTHON_ROWS } from './rows/python.ts';
import type { Row } from './row.ts';

export const ROWS: readonly Row[] = [...PYTHON_ROWS, ...JAVASCRIPT_ROWS, ...JAVA_ROWS];
