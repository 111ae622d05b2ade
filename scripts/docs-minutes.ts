/** npm run docs:minutes: writes how long each page takes below its heading. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { userPages, withReadingTime } from './reading-time.ts';

for (const { file, text } of userPages()) {
  writeFileSync(path.resolve(import.meta.dirname, '..', file), withReadingTime(text));
}
