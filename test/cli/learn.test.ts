/** `assay learn`: from a recording and readings to a suite with tests and certificates. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { assayHere } from '../assay-here.ts';
import { recordedLine, shop } from '../learn/shop.ts';
import { tempDirectory } from '../temp-directory.ts';

function recorded() {
  const cwd = tempDirectory();
  const all = shop(120, 3);
  writeFileSync(path.join(cwd, 'shop.jsonl'), all.map((one) => `${recordedLine(one)}\n`).join(''));
  const line = ({ id, kind }: (typeof all)[number]) => `${id},${kind === undefined ? 'good' : 'bad'},${kind ?? ''}\n`;
  writeFileSync(path.join(cwd, 'readings.csv'), `conversation_id,answer,kind\n${all.map(line).join('')}`);
  return cwd;
}

const learn = (cwd: string, ...args: readonly string[]) =>
  assayHere(['learn', 'shop.jsonl', '--readings', 'readings.csv', '--suite', 'default', ...args], { cwd });

test('what it writes is a suite whose tests pass, and whose certificates are shown until a word is changed', async () => {
  const cwd = recorded();

  const { status, stdout, stderr } = await learn(cwd, '--out', 'learned.yaml');

  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain('120 conversations read, ');
  expect(stdout).toMatch(/applies to \d+\.\d % of the 120 conversations at hand, fails on/);
  expect(stdout).toMatch(/refunds without looking {2}\d+ readings\n {2}not_refunds_without_looking {2}Is it true that/);
  expect(stdout).toMatch(/Certified: 100 % \(\d+ % to 100 %\) of the conversations that fail it went badly/);
  const tested = await assayHere(['suite', 'test', 'learned.yaml'], { cwd });
  expect([tested.status, tested.stdout]).toEqual([0, expect.stringMatching(/\d tests passed/)]);
  const valid = await assayHere(['validate', 'learned.yaml'], { cwd });
  expect(valid.stdout).toMatch(/learned: not_refunds_without_looking: Certified: 100 %/);

  const file = path.join(cwd, 'learned.yaml');
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace("size(tools('refund_order')) == 0", "size(tools('refund_order')) < 1"),
  );
  const changed = await assayHere(['validate', 'learned.yaml'], { cwd });
  expect([changed.status, changed.stdout]).toEqual([
    0,
    expect.not.stringContaining('not_refunds_without_looking: Cert'),
  ]);
});

test('a reader who changed the answer, or gave it again without a kind, counts once', async () => {
  const cwd = recorded();
  const file = path.join(cwd, 'readings.csv');
  const [head = '', ...rows] = readFileSync(file, 'utf8').trimEnd().split('\n');
  const before = rows.map((row) => row.replace(/,good,$/, ',bad,other'));
  const after = rows.map((row) => row.replace(/,bad,.*$/, ',bad,'));
  const learned = async () => (await learn(cwd, '--json')).stdout.replaceAll(/"at": ".*"/g, '');
  const once = await learned();
  writeFileSync(file, [head, ...before, ...after].join('\n'));

  expect(await learned()).toBe(once);
});

test('a file that is there is not overwritten, and what is no certificate is a mistake of the suite', async () => {
  const cwd = recorded();
  await learn(cwd, '--out', 'learned.yaml');

  const again = await learn(cwd, '--out', 'learned.yaml');
  expect(again.stdout).toBe('');
  expect([again.status, again.stderr]).toEqual([
    expect.any(Number),
    expect.stringContaining('learned.yaml exists: --force'),
  ]);
  expect(again.status).not.toBe(0);
  expect((await learn(cwd, '--out', 'learned.yaml', '--force')).status).toBe(0);

  writeFileSync(path.join(cwd, 'learned.certificates.json'), '{"a": {"precision": 1}}');
  const broken = await assayHere(['validate', 'learned.yaml'], { cwd });
  expect(broken.status).not.toBe(0);
  const lines = broken.stderr.split('\n').map((line) => line.trim());
  const at = lines.indexOf('learned.certificates.json');
  expect(lines[at + 1]).toContain('it holds no certificates: criteria is not as it was written');
  expect(broken.stderr.match(/learned\.certificates\.json|✖/g)).toHaveLength(1);
});

test('readings that chose a criterion measure it no more, and an estimate with it says so', async () => {
  const cwd = recorded();
  await learn(cwd, '--out', 'learned.yaml');

  const again = await assayHere(
    ['learn', 'shop.jsonl', '--readings', 'readings.csv', '--suite', 'default', 'learned.yaml', '--json'],
    { cwd },
  );
  const score = ['score', 'shop.jsonl', '--readings', 'readings.csv', '--suite'];
  const scored = await assayHere([...score, 'learned.yaml'], { cwd });
  const alone = await assayHere([...score, 'default'], { cwd });

  const { measured } = JSON.parse(again.stdout) as { measured: Record<string, unknown> };
  expect(Object.keys(measured).filter((name) => name.startsWith('learned/'))).toEqual([]);
  expect(scored.stderr).toContain('warning: learned was learned from 120 of these readings');
  expect(alone.stderr).toBe('');
});

const OWN = `suite: own
version: '1'
scope: conversation
about: rules
normalize: true
criteria:
  - name: looked_first
    question: Did it look before it refunded?
    weight: 1
    when: size(tools('refund_order')) > 0
    when_not_applicable: pass
    check: size(tools('get_order')) > 0
  - name: short
    question: Is it short?
    weight: 1
    check: turns.all(t, size(t.final_answer) < 2)
`;

test('a certificate of an own criterion says on what share of the recording it applies and fails', async () => {
  const cwd = recorded();
  writeFileSync(path.join(cwd, 'own.yaml'), OWN);
  const said = readFileSync(path.join(cwd, 'shop.jsonl'), 'utf8').trimEnd().split('\n');
  const refunds = said.filter((line) => line.includes('"refund_order"'));

  const { status } = await learn(cwd, 'own.yaml', '--certify');

  expect(status).toBe(0);
  const { criteria } = JSON.parse(readFileSync(path.join(cwd, 'own.certificates.json'), 'utf8'));
  expect(criteria.looked_first).toMatchObject({
    applies: refunds.length / 120,
    fails: refunds.filter((line) => !line.includes('"get_order"')).length / 120,
  });
  expect(refunds.length).toBeLessThan(120);
  expect([criteria.looked_first.asksNoTool, criteria.short.asksNoTool]).toEqual([undefined, true]);
});

test('a criterion is left out, with the reason, where a certified one of the suites finds the same conversations', async () => {
  const cwd = recorded();
  writeFileSync(path.join(cwd, 'own.yaml'), OWN);
  const before = await learn(cwd, 'own.yaml', '--out', 'before.yaml');
  await learn(cwd, 'own.yaml', '--certify');
  const after = await learn(cwd, 'own.yaml', '--out', 'after.yaml');

  expect(before.stdout).toContain('before.yaml: 2 certified criteria');
  expect(before.stdout).not.toContain('Left out');
  expect(after.stdout).toContain('after.yaml: 1 certified criteria');
  expect(after.stdout).toContain(
    'Left out, refunds without looking: own/looked_first finds all of it: 100 % alike with not_refunds_without_looking.',
  );
});

test('readings of other conversations are refused', async () => {
  const cwd = recorded();
  writeFileSync(path.join(cwd, 'other.csv'), 'conversation_id,answer,kind\nother-0,bad,x\n');

  const { status, stderr } = await assayHere(['learn', 'shop.jsonl', '--readings', 'other.csv'], { cwd });

  expect([status, stderr]).toEqual([3, expect.stringMatching(/other\.csv: none of its ids .*other-0, .* shop-0/)]);
});

test('too few readings, and no readings, are said', async () => {
  const cwd = recorded();
  writeFileSync(path.join(cwd, 'few.csv'), 'conversation_id,answer,kind\nshop-0,bad,x\nshop-1,good,\n');

  const few = await assayHere(['learn', 'shop.jsonl', '--readings', 'few.csv', '--suite', 'default'], { cwd });
  const none = await assayHere(['learn', 'shop.jsonl', '--suite', 'default'], { cwd });
  const nowhere = await assayHere(['learn'], { cwd });

  expect(few.stderr).toContain(
    '2 of the conversations have a clear answer, and 1 went badly: a search takes 4 readings of one kind',
  );
  expect(none.stderr).toContain('--readings <file> is missing');
  expect(nowhere.stderr).toContain('name files, or an agent of the service: --agent <name>');
  expect([few.status, none.status, nowhere.status]).not.toContain(0);
});
