/** npm run docs:config: writes docs/reference/configuration.md from the declarations of the settings. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { configurationPage } from './configuration-page.ts';

writeFileSync(path.resolve(import.meta.dirname, '../docs/reference/configuration.md'), configurationPage());
