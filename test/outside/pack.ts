/** `npm pack` of this project. It builds `dist` from scratch, so two at once would take files from under each other. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const ROOT = path.resolve(import.meta.dirname, '../..');
const LOCK = path.join(tmpdir(), `assay-pack-${ROOT.replaceAll(/\W/g, '-')}`);
const HOLDER = path.join(LOCK, 'pid');
const AGAIN_MS = 200;

/** Gives the file of the package, in the folder. */
export async function packInto(folder: string, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  while (!isTaken()) await wait(AGAIN_MS);
  try {
    const output = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
      cwd: ROOT,
      env,
      encoding: 'utf8',
    });
    return path.join(folder, output.trim().split('\n').at(-1) ?? '');
  } finally {
    rmSync(LOCK, { recursive: true, force: true });
  }
}

function isTaken(): boolean {
  try {
    mkdirSync(LOCK);
    writeFileSync(HOLDER, String(process.pid));
    return true;
  } catch {
    if (!isHeld()) rmSync(LOCK, { recursive: true, force: true });
    return false;
  }
}

/** A holder that was killed holds it no longer; one that has just begun has not written its number. */
function isHeld(): boolean {
  try {
    const pid = Number(readFileSync(HOLDER, 'utf8'));
    if (pid > 0) process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' || (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
