/** A value of JSON as a tree: what is small is open, and what is large comes into the document when it is opened. */
import { useState } from 'preact/hooks';
import { SomeFirst } from '../shell/some-first.tsx';
import { counted } from './format.ts';
import { LongText, SpanText } from './span-text.tsx';

const ENTRIES_SHOWN = 50;
/** Branches of more entries, and those that are deeper, are closed at first. */
const OPEN_ENTRIES_MAX = 12;
const OPEN_DEPTH_MAX = 2;
/** Longer texts have lines of their own. */
const IN_LINE_CHARACTERS = 240;

export function JsonTree({ value }: { readonly value: object }) {
  return (
    <div class="json-tree payload" dir="ltr">
      <Entries of={value} depth={0} />
    </div>
  );
}

/** The value that a text is, where it is an object or a list; undefined for all else. */
export function treeOf(value: unknown): object | undefined {
  if (typeof value === 'object' && value !== null) return value;
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return undefined;
  try {
    const read: unknown = JSON.parse(value);
    return typeof read === 'object' && read !== null ? read : undefined;
  } catch {
    // A text that only begins as JSON does is shown as it is.
    return undefined;
  }
}

function Entries({ of: value, depth }: { readonly of: object; readonly depth: number }) {
  const entries = Object.entries(value);
  if (entries.length === 0) return <span class="aside">{Array.isArray(value) ? 'empty list' : 'nothing in it'}</span>;
  return (
    <SomeFirst of={entries} atATime={ENTRIES_SHOWN}>
      {(shown) => (
        <ul>
          {shown.map(([name, inner]) => (
            <Entry key={name} name={name} value={inner} depth={depth + 1} />
          ))}
        </ul>
      )}
    </SomeFirst>
  );
}

interface EntryProps {
  readonly name: string;
  readonly value: unknown;
  readonly depth: number;
}

function Entry({ name, value, depth }: EntryProps) {
  const size = typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
  const [isOpen, setOpen] = useState(depth <= OPEN_DEPTH_MAX && size <= OPEN_ENTRIES_MAX);
  const key = <SpanText in="span" class="json-key" text={name} charactersMax={120} />;
  if (typeof value !== 'object' || value === null || size === 0) {
    return (
      <li>
        {key} <Leaf value={value} />
      </li>
    );
  }
  const onToggle = ({ currentTarget: target }: Event) => setOpen(target instanceof HTMLDetailsElement && target.open);
  return (
    <li>
      <details open={isOpen} onToggle={onToggle}>
        <summary>
          {key} <span class="aside">{counted(size, Array.isArray(value) ? 'item' : 'field')}</span>
        </summary>
        {isOpen && <Entries of={value} depth={depth} />}
      </details>
    </li>
  );
}

function Leaf({ value }: { readonly value: unknown }) {
  if (typeof value === 'string' && (value.length > IN_LINE_CHARACTERS || value.includes('\n')))
    return <LongText text={value} isCode />;
  if (typeof value === 'string') return <SpanText in="span" class="json-text" text={value} />;
  if (typeof value === 'object' && value !== null)
    return <span class="aside">{Array.isArray(value) ? 'empty list' : 'nothing in it'}</span>;
  return <span class="json-value">{String(value)}</span>;
}
