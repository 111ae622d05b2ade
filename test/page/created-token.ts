import { assay } from '../assay-command.ts';

/** A token as `assay token create` prints it. */
export function createToken(dataDir: string, role: string, name: string): string {
  const { stdout, stderr } = assay(['token', 'create', '--role', role, '--name', name, '--data-dir', dataDir]);
  const token = /\bassay_[\w-]+/.exec(stdout)?.[0];
  if (token === undefined) throw new Error(stdout + stderr);
  return token;
}
