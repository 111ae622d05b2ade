/** The last call of each tool that worked: where it had failed, nothing would have made up for it. */
import type { CallPlace } from './edit.ts';

export function lastSuccesses(calls: readonly CallPlace[]): readonly CallPlace[] {
  return calls.filter(
    ({ call }, index) =>
      call.error === undefined &&
      !calls.slice(index + 1).some((later) => later.call.tool === call.tool && later.call.error === undefined),
  );
}
