/** A memory limit for a process, as its container would have: a memory cgroup, which root may make. */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const VERSION_1 = '/sys/fs/cgroup/memory';
const VERSION_2 = '/sys/fs/cgroup';

/** Undefined if no cgroup can be made here. To be released once the process has ended. */
export function limitMemory(pid: number, bytes: number): { release(): void } | undefined {
  const isFirst = existsSync(path.join(VERSION_1, 'memory.limit_in_bytes'));
  const folder = path.join(isFirst ? VERSION_1 : VERSION_2, `assay-${pid}`);
  try {
    mkdirSync(folder);
    writeFileSync(path.join(folder, isFirst ? 'memory.limit_in_bytes' : 'memory.max'), String(bytes));
    writeFileSync(path.join(folder, 'cgroup.procs'), String(pid));
  } catch {
    rmdirIfThere(folder);
    return undefined;
  }
  return { release: () => rmdirIfThere(folder) };
}

function rmdirIfThere(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It was never made, or its process has not quite gone: the next start of the machine removes it.
  }
}
