/** npm run sayings [-- <words>]: what each surface says in each situation, one line a sentence; only those with these words. */
import { sayings } from '../test/sayings/sayings.ts';

const words = process.argv.slice(2).join(' ').toLowerCase();
for (const { surface, situation, about, sentence } of sayings()) {
  const line = `${about}\t${surface}\t${situation}\t${sentence}`;
  if (line.toLowerCase().includes(words)) process.stdout.write(`${line}\n`);
}
