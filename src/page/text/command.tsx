/** A text for a terminal or a file, with the button that copies it. */
import { Copy } from './copy.tsx';

export function Command({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  return (
    <div class="command">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to scroll by the keyboard as well */}
      <pre tabIndex={0}>{text}</pre>
      <Copy text={text} label={label} />
    </div>
  );
}
