/** npm run docs:metrics: writes docs/reference/METRICS.md from the definitions of the metrics. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { metricsPage } from './metrics-page.ts';

writeFileSync(path.resolve(import.meta.dirname, '../docs/reference/METRICS.md'), metricsPage());
