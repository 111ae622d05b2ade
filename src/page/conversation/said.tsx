/** The words of one side in a turn. */
import type { ComponentChildren } from 'preact';
import { Words } from '../text/markdown.tsx';

interface SaidProps {
  readonly by: 'user' | 'agent';
  readonly text: string;
  /** Words where there is no text. */
  readonly missing: string;
  /** Address of the whole text, where the answer has only its beginning. */
  readonly whole?: string | undefined;
  /** Beside the name of the side. */
  readonly beside?: ComponentChildren;
  /** Below the text. */
  readonly children?: ComponentChildren;
}

export function Said({ by, text, missing, whole, beside, children }: SaidProps) {
  return (
    <div class={`said ${by}`}>
      <p class="speaker">
        {by === 'user' ? 'User ' : 'Agent '}
        {beside}
      </p>
      {text === '' ? <p class="aside">{missing}</p> : <Words text={text} whole={whole} />}
      {children}
    </div>
  );
}
