/** A button that copies a text, and says so in its own place. */
import { useState } from 'preact/hooks';
import { type Reply, askText } from '../api/ask.ts';

const SAID_MS = 2_000;
/** A reason takes longer to read. */
const REASON_MS = 12_000;

export function Copy({ text, label }: { readonly text: string; readonly label: string }) {
  return <CopyButton label={label} write={() => navigator.clipboard.writeText(text).then(() => undefined)} />;
}

interface CopyAnswerProps {
  readonly path: string;
  readonly label: string;
  readonly title?: string;
}

/** The remark of a test case that does not hold the failure for which somebody copies it. */
const LOST_FAILURE = /^# (The failure of .*)$/m;

/** Copies what the service answers, when somebody asks for it. */
export function CopyAnswer({ path, label, title }: CopyAnswerProps) {
  const write = async () => {
    const text = askText(path).then(textOf);
    // Some browsers allow copying only within the click itself, so they are given the promise.
    if (typeof ClipboardItem === 'undefined') await navigator.clipboard.writeText(await text);
    else {
      const item = text.then((known) => new Blob([known], { type: 'text/plain' }));
      await Promise.all([text, navigator.clipboard.write([new ClipboardItem({ 'text/plain': item })])]);
    }
    return LOST_FAILURE.exec(await text)?.[1];
  };
  return <CopyButton label={label} write={write} {...(title === undefined ? {} : { title })} />;
}

/** Why there is no text, for the person who asked. */
class NoText extends Error {}

function textOf(reply: Reply<string>): string {
  if (reply.is === 'here') return reply.value;
  throw new NoText(reply.why);
}

interface CopyButtonProps {
  readonly label: string;
  readonly title?: string;
  /** Gives a remark where there is something to know of what was copied. */
  readonly write: () => Promise<string | undefined>;
}

function CopyButton({ label, title, write }: CopyButtonProps) {
  const [said, setSaid] = useState<string | undefined>();
  const copy = () => {
    const done = (what: string, forMs = SAID_MS) => {
      setSaid(what);
      setTimeout(() => setSaid(undefined), forMs);
    };
    // Browsers have no clipboard for pages without TLS, except on this machine.
    if (navigator.clipboard === undefined) done('This browser allows no copying here');
    else
      write().then(
        (remark) => (remark !== undefined ? done(`Copied. ${remark}`, REASON_MS) : done('Copied')),
        (error: unknown) => (error instanceof NoText ? done(error.message, REASON_MS) : done('Not copied')),
      );
  };
  return (
    <button type="button" class="quiet" title={title} onClick={copy} aria-live="polite">
      {said ?? label}
    </button>
  );
}
