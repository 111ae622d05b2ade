/** The value of a reply. Before it has come, that it is on its way; where it does not come, the reason. */
import type { ComponentChildren } from 'preact';
import type { Reply } from '../api/ask.ts';
import { Problem } from './problem.tsx';

interface HereProps<T> {
  readonly of: { readonly reply: Reply<T> | undefined; readonly again?: () => void };
  readonly wait?: string;
  /** Shows the reason in place of a section about the problem. */
  readonly otherwise?: (why: string) => ComponentChildren;
  readonly children: (value: T) => ComponentChildren;
}

export function Here<T>({ of: { reply, again }, wait, otherwise, children }: HereProps<T>) {
  if (reply === undefined) return <Loading words={wait} />;
  if (reply.is === 'here') return children(reply.value);
  return otherwise === undefined ? <Problem of={reply} again={again} /> : otherwise(reply.why);
}

export function Loading({ words = 'Loading …' }: { readonly words?: string | undefined }) {
  return (
    <p class="loading" role="status">
      {words}
    </p>
  );
}
