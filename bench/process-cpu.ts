/** CPU of another process, as Linux counts it: all its threads, user and system. */
import { readFileSync } from 'node:fs';

/** Ticks are hundredths of a second. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0] = fields.slice(11, 13).map(Number);
  return (user + system) / 100;
}
