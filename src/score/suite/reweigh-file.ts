/**
 * Writes other weights into the text of a suite. Only the numbers change, a line `normalize: true` is added where the
 * weights no longer sum to 1, and a version that is a whole number goes up by one. Everything else, comments and order
 * included, stays byte by byte, because parts of the text are replaced where the parsed document says that they stand.
 *
 * The result is read again. If it is not the intended suite, because a weight comes from an anchor or a merge key, the
 * answer is a sentence instead.
 */
import { isMap, isNode, isPair, isScalar, isSeq, type Node, parseDocument, type YAMLMap } from 'yaml';
import { type LineEdit, unifiedDiff } from '../../model/unified-diff.ts';
import type { CompiledSuite } from './suite.ts';
import { formatMillionths, ONE } from '../subject/weigh.ts';
import { readSuite } from './read-suite.ts';

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

interface Around extends NonNullable<Parameters<typeof readSuite>[2]> {
  /** File name for the diff. */
  readonly file: string;
  /** The suite of the text, as it runs. */
  readonly before: CompiledSuite;
}

/** A unified diff, empty where nothing changes, or a sentence that says why there is none. */
export function reweighingDiff(
  text: string,
  after: CompiledSuite,
  { file, before, ...around }: Around,
): { readonly diff: string } | { readonly whyNot: string } {
  const edits = editsOf(text, before, after);
  if (typeof edits === 'string') return { whyNot: edits };
  const changed = edits
    .toReversed()
    .reduce((now, { from, to, text: by }) => now.slice(0, from) + by + now.slice(to), text);
  const { suite } = readSuite(changed, file, around);
  if (suite === undefined || !weighsAs(suite, after))
    return { whyNot: 'its weights cannot be changed one by one in its file' };
  return { diff: unifiedDiff(text, lineEdits(text, edits), file) };
}

function weighsAs(suite: CompiledSuite, meant: CompiledSuite): boolean {
  const weights = ({ criteria }: CompiledSuite) => JSON.stringify(criteria.map(({ name, weight }) => [name, weight]));
  return suite.definition.id === meant.definition.id && weights(suite) === weights(meant);
}

/** Edits in the order of the text. */
function editsOf(text: string, before: CompiledSuite, after: CompiledSuite): readonly Edit[] | string {
  const root = parseDocument(text).contents;
  const criteria = isMap(root) ? root.get('criteria', true) : undefined;
  if (!isMap(root) || !isSeq(criteria)) return 'its file has changed since it was loaded';
  const edits: Edit[] = [];
  for (const [index, { name, weight }] of after.criteria.entries()) {
    if (before.criteria[index]?.weight === weight) continue;
    const criterion = criteria.get(index, true);
    const node = isMap(criterion) ? criterion.get('weight', true) : undefined;
    const edit = replacing(node, formatMillionths(weight));
    if (edit === undefined) return `the weight of ${name} is not written where the criterion is`;
    edits.push(edit);
  }
  if (edits.length === 0) return [];
  const more = [normalizing(text, root, after), nextVersion(text, root)].filter((edit) => edit !== undefined);
  return [...edits, ...more].sort((a, b) => a.from - b.from);
}

function normalizing(text: string, root: YAMLMap, { totalWeight }: CompiledSuite): Edit | undefined {
  if (totalWeight === ONE || root.get('normalize') === true) return undefined;
  return replacing(root.get('normalize', true), 'true') ?? addedBehind(text, root, 'scope', 'normalize: true');
}

/** Scores by other weights cannot be compared, so they are of another version. */
function nextVersion(text: string, root: YAMLMap): Edit | undefined {
  const node = root.get('version', true);
  if (node === undefined) return addedBehind(text, root, 'suite', 'version: "2"');
  const written = isScalar(node) ? String(node.value) : '';
  if (!/^\d{1,9}$/.test(written)) return undefined;
  const edit = replacing(node, '');
  if (edit === undefined) return undefined;
  // The value keeps the quotes in which it is written.
  const source = text.slice(edit.from, edit.to);
  return { ...edit, text: source.replace(written, String(Number(written) + 1)) };
}

function replacing(node: unknown, text: string): Edit | undefined {
  const range = isNode(node) ? (node as Node).range : undefined;
  return range === undefined || range === null ? undefined : { from: range[0], to: range[1], text };
}

/** A field of the document, on the line after that of a field that is there. */
function addedBehind(text: string, root: YAMLMap, field: string, added: string): Edit | undefined {
  const pair = root.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === field);
  const key = isScalar(pair?.key) ? replacing(pair.key, '') : undefined;
  const value = replacing(pair?.value, '');
  if (key === undefined || value === undefined) return undefined;
  if (root.flow === true) return { from: value.to, to: value.to, text: `, ${added}` };
  const indentation = ' '.repeat(key.from - (text.lastIndexOf('\n', key.from - 1) + 1));
  const end = text.indexOf('\n', value.to);
  if (end < 0) return { from: text.length, to: text.length, text: `\n${indentation}${added}` };
  const newline = text[end - 1] === '\r' ? '\r\n' : '\n';
  return { from: end + 1, to: end + 1, text: `${indentation}${added}${newline}` };
}

/** Edits as whole lines. */
function lineEdits(text: string, edits: readonly Edit[]): readonly LineEdit[] {
  const byLine = Map.groupBy(edits, ({ from }) => lineAt(text, from));
  return [...byLine].map(([line, ofLine]) => {
    const start = line === 0 ? 0 : nthLineStart(text, line);
    const end = text.indexOf('\n', start);
    const whole = end < 0 ? text.length : end;
    const now = ofLine.toReversed().reduce(
      (kept, edit) => {
        const [from, to] = [edit.from - start, edit.to - start];
        return kept.slice(0, from) + edit.text + kept.slice(to);
      },
      text.slice(start, whole),
    );
    return { line, by: now.split('\n') };
  });
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length - 1;
}

function nthLineStart(text: string, line: number): number {
  let start = 0;
  for (let passed = 0; passed < line; passed += 1) start = text.indexOf('\n', start) + 1;
  return start;
}
