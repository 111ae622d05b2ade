/** A memory limit for a process, as its container would have: a memory cgroup, which root may make. */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const VERSION_1 = '/sys/fs/cgroup/memory';
const VERSION_2 = '/sys/fs/cgroup';

interface MemoryLimit {
  /** The file to which a process writes its id, before it starts what is to be limited: Node sizes its heap by the limit. */
  readonly joinFile: string;
  /** To be called once the process has ended. */
  release(): void;
}

/** Undefined if no cgroup can be made here. */
export function memoryLimit(bytes: number): MemoryLimit | undefined {
  const isFirst = existsSync(path.join(VERSION_1, 'memory.limit_in_bytes'));
  const folder = path.join(isFirst ? VERSION_1 : VERSION_2, `assay-${process.pid}`);
  try {
    mkdirSync(folder);
    writeFileSync(path.join(folder, isFirst ? 'memory.limit_in_bytes' : 'memory.max'), String(bytes));
  } catch {
    rmdirIfThere(folder);
    return undefined;
  }
  return { joinFile: path.join(folder, 'cgroup.procs'), release: () => rmdirIfThere(folder) };
}

function rmdirIfThere(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It was never made, or its process has not quite gone: the next start of the machine removes it.
  }
}
