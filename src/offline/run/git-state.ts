/** The commit that an experiment was started in: of the agent, as a rule, since one stands in its folder. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Experiment } from '../../model/experiment.ts';

const run = promisify(execFile);
const WITHIN_MS = 5_000;

/** Undefined where the folder is no git checkout, or git is not there. */
export async function gitState(cwd: string): Promise<Experiment['git']> {
  const git = async (...args: readonly string[]) =>
    (await run('git', [...args], { cwd, timeout: WITHIN_MS, maxBuffer: 16 << 20 })).stdout.trim();
  try {
    const commit = await git('rev-parse', 'HEAD');
    const branch = await git('rev-parse', '--abbrev-ref', 'HEAD');
    const changes = await git('status', '--porcelain', '--untracked-files=no');
    // A checkout by commit, as CI makes it, is on no branch.
    return { commit, branch: branch === 'HEAD' ? undefined : branch, isDirty: changes !== '' };
  } catch {
    // A failure of git does not matter to the runs.
    return undefined;
  }
}
