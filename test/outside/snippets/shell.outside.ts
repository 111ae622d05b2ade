/**
 * The shell blocks of README.md and docs, pasted by a new user: page by page in a clean clone, in their order, on the
 * Node of the machine. Each page has a network of its own, with nothing in it: so the ports are those on the page, and
 * nothing can be fetched. The output of a command is compared with the one on the page.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allBlocks, type Block, ROOT } from '../../snippets/blocks.ts';
import { treatmentOf } from '../../snippets/treatment.ts';
import { writtenAs } from '../../snippets/written.ts';
import { type FileOfReader, PAGES } from './pages.ts';
import { copyTracked } from '../clean-copy.ts';
import { sessionOf } from './session.ts';
import { shareOf } from '../share-of-round.ts';

/** A page takes up to three minutes beside other tests on two cores. */
const HANGS_AFTER_MS = 500_000;
const base = mkdtempSync(path.join(tmpdir(), 'assay-shell-'));
const clone = path.join(base, 'clone');
/** As in a terminal: without the project's commands, which npm puts first for its scripts. */
const ENV = {
  PATH: (process.env.PATH ?? '')
    .split(':')
    .filter((folder) => !folder.includes('node_modules'))
    .join(':'),
  HOME: base,
  // A trial is not to take minutes. The pages say what the defaults are.
  ASSAY_TURN_SETTLE: '200ms',
  ASSAY_CONVERSATION_IDLE: '1s',
};

/** `npm link` puts the command there. The configuration of npm for the machine would be looked for there, too. */
const LINKED = { ...ENV, npm_config_prefix: path.join(base, 'global') };

beforeAll(() => {
  copyTracked(clone);
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: clone,
    env: ENV,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  mkdirSync(path.join(base, 'global/lib'), { recursive: true });
  execFileSync('npm', ['link', '--no-audit', '--no-fund'], {
    cwd: clone,
    env: LINKED,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  // As pages say where a clone's modules are imported.
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: clone, stdio: ['ignore', 'ignore', 'inherit'] });
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const all = allBlocks();
const isCompared = (block: Block) => treatmentOf(block) === 'compared with the output';
/** The output of a command. */
const isShown = (block: Block) => isCompared(block) || (block.language === 'console' && block.notRun === undefined);
const linesShown = ({ text }: Block) => text.split('\n').filter((line) => !line.startsWith('$ '));
const isRun = (block: Block) =>
  block.notRun === undefined &&
  (['sh', 'bash', 'console'].includes(block.language) || writtenAs(block)?.run !== undefined);
const pages = [...new Set(all.filter(isRun).map(({ page }) => page))];

test('each declared page has blocks', () => {
  expect(Object.keys(PAGES).filter((page) => !pages.includes(page))).toEqual([]);
});

test.each(shareOf(pages, 2))(
  '%s',
  (page) => {
    const declared = PAGES[page] ?? {};
    const home = path.join(base, path.basename(page, '.md'));
    copyTracked(home);
    for (const installed of ['node_modules', 'dist'])
      symlinkSync(path.join(clone, installed), path.join(home, installed));
    const folder = path.join(home, declared.folder ?? '');
    mkdirSync(folder, { recursive: true });
    for (const [file, content] of Object.entries(declared.files ?? {})) {
      writeFileSync(path.join(folder, file), textOf(content));
    }
    for (const block of all.filter((one) => one.page === page)) {
      const written = writtenAs(block);
      if (written === undefined || written.within !== undefined) continue;
      writeFileSync(path.join(folder, written.file), `${written.before ?? ''}${block.text}\n${written.after ?? ''}`);
    }
    mkdirSync(path.join(home, '.session'));
    const script = path.join(home, '.session/session.sh');
    writeFileSync(
      script,
      sessionOf(
        all.filter((block) => block.page === page && isRun(block)),
        declared,
      ),
    );

    const { status, stdout, stderr } = spawnSync(
      'unshare',
      [...USER, '--net', '--pid', '--mount-proc', '--fork', '--kill-child', 'bash', script],
      {
        cwd: folder,
        env: { ...LINKED, ...declared.env, SESSION: path.dirname(script), CLONE: home },
        encoding: 'utf8',
        timeout: HANGS_AFTER_MS,
        killSignal: 'SIGKILL',
      },
    );

    expect(status, `${stdout}\n${stderr}`).toBe(0);
    const printed = new Set(stdout.split('\n').map(plain));
    const lines = all
      .filter((block) => block.page === page && isShown(block))
      .flatMap(linesShown)
      .map(plain);
    expect(
      lines.filter((line) => line !== '' && line !== '…' && !printed.has(line)),
      stdout,
    ).toEqual([]);
    rmSync(home, { recursive: true });
  },
  HANGS_AFTER_MS + 10_000,
);

function textOf(file: FileOfReader): string {
  if ('text' in file) return file.text;
  if ('from' in file) return readFileSync(path.join(ROOT, file.from), 'utf8');
  const block = all.find(({ page, text }) => page === file.of && text.startsWith(file.block));
  if (block === undefined) throw new Error(`${file.of} has no block that begins with ${file.block}`);
  return block.text;
}

/** In a user namespace everybody may have a network. */
const USER = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];

/** Columns are as wide as their contents need. */
function plain(line: string): string {
  return line.trim().replace(/ +/g, ' ');
}
