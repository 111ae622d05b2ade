/** Markup in words of a model: elements that can do nothing, and the text as it came where it is too much. */
import { beforeAll, expect, test } from 'vitest';
import { JsonTree, treeOf } from '../../src/page/text/json-tree.tsx';
import { loadMarkdown, Words } from '../../src/page/text/markdown.tsx';
import { countOf, markupOf, wordsOf } from './shown.tsx';

beforeAll(loadMarkdown);

const words = (text: string) => <Words text={text} />;

test('bold, lists, tables and code are elements, in the order in which they came', () => {
  const text =
    '# Head\n\n**bold** *soft* ~~gone~~ `code`\n\n3. three\n4. four\n   - within\n\n|a|b|\n|-|-|\n|1|2|\n\n```js\nx < 1\n```\n\n> said';
  const markup = markupOf(words(text));

  expect(markup).toMatch(/<ol start="3"><li>.*three.*<li>.*four.*<ul><li>.*within/s);
  for (const element of ['b', 'i', 's', 'code', 'pre', 'table', 'blockquote']) expect(markup).toContain(`<${element}`);
  expect(wordsOf(words(text))).toMatch(/^Head bold soft gone code three ?four ?within.*a b ?1 2 ?x < 1 ?said$/);
});

test.each([
  ['a link', '[here](https://example.com/a)', 'here (https://example.com/a)'],
  ['a script as a link', '[here](javascript:alert(1))', 'here (javascript:alert(1))'],
  ['a picture', '![chart](https://example.com/c.png)', 'picture chart (https://example.com/c.png)'],
  ['an address', 'see https://example.com/a now', 'see https://example.com/a now'],
  ['HTML', 'a <img src=x onerror=alert(1)> b <b>c</b>', 'a <img src=x onerror=alert(1)> b <b>c</b>'],
  ['a block of HTML', '<script>\nalert(1)\n</script>', '<script> alert(1) </script>'],
  ['an entity', '&lt;b&gt; *x*', '&lt;b&gt; x'],
  ['hidden characters', '**a\u202eb**', 'aU+202Eb'],
])('%s leads nowhere and loads nothing', (_, text, shown) => {
  expect(countOf(words(text), /<(?:a|img|script)\b|<[^>]*\s(?:href|src)=/)).toBe(0);
  expect(wordsOf(words(text)).replaceAll('&amp;', '&')).toBe(shown);
});

test.each([
  ['a long text', `**a** ${'word '.repeat(3_000)}`],
  ['many marks', '**a** '.repeat(300)],
  ['lists within lists', `${'- '.repeat(7)}deep`],
  ['quotes within quotes', `${'> '.repeat(500)}deep`],
  ['numbers within numbers', `${'1. '.repeat(200)}deep`],
  ['lists by indent', Array.from({ length: 40 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n')],
])('%s is shown as it came', (_, text) => {
  expect(countOf(words(text), /marked-up/)).toBe(0);
  expect(wordsOf(words(text)).slice(0, 6)).toBe(text.replaceAll(/\s+/g, ' ').slice(0, 6));
});

test('a value of JSON is a tree; a text that only looks like one is a text', () => {
  const value = { order: 7, lines: [{ sku: '<b>x</b>' }], none: null, empty: {}, note: 'a\nb' };

  expect(treeOf(JSON.stringify(value))).toEqual(value);
  expect(treeOf('{not json}')).toBeUndefined();
  expect(treeOf('7')).toBeUndefined();
  expect(wordsOf(<JsonTree value={value} />)).toMatch(
    /^order 7 lines 1 item ?0 1 field ?sku <b>x<\/b>.*none null empty nothing in it note a b/,
  );
  expect(countOf(<JsonTree value={value} />, /<b>/)).toBe(0);
});

test('a branch that is large or deep is closed, and not in the document', () => {
  const wide = { many: Array.from({ length: 500 }, (_, index) => index) };
  const deep = { a: { b: { c: { d: 1 } } } };

  expect(wordsOf(<JsonTree value={wide} />)).toBe('many 500 items');
  expect(wordsOf(<JsonTree value={deep} />)).toMatch(/c 1 field$/);
});
