/**
 * For the configurations of vitest: each test file is a process, and hundreds of tests start the command line or a
 * service. Half of such a start is compiling, which is done once and kept.
 */
import path from 'node:path';

process.env.NODE_COMPILE_CACHE ??= path.join(import.meta.dirname, '../node_modules/.cache/assay-compiled');
