/** TypeScript of Assay's own modules, checked by the compiler against the sources: all blocks at once, each a file. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Block, placeOf, ROOT } from './blocks.ts';
import { writtenAs } from './written.ts';

/** Below node_modules, so that packages are found. */
const FOLDER = path.join(ROOT, 'node_modules/.cache/assay/snippets');
const CONFIG = {
  extends: path.join(ROOT, 'tsconfig.json'),
  compilerOptions: {
    // A reader's module may leave its imports and parameters unused, and has no node: types unless it wants them.
    noUnusedLocals: false,
    noUnusedParameters: false,
    rewriteRelativeImportExtensions: false,
    paths: {
      'assay/suite': [path.join(ROOT, 'src/score/define-suite.ts')],
      'assay/instrument': [path.join(ROOT, 'src/instrument/instrument.ts')],
      'assay/vitest': [path.join(ROOT, 'src/vitest/vitest.ts')],
    },
  },
  include: ['**/*.ts', '**/*.js'],
};

/** The compiler's messages, with the place on the page; '' if nothing. */
export function mistakesInTypeScript(blocks: readonly Block[], beside: Readonly<Record<string, string>>): string {
  const folder = path.join(FOLDER, String(process.pid));
  const places = new Map<string, string>();
  try {
    for (const block of blocks) {
      const page = path.join(folder, path.parse(block.page).name);
      mkdirSync(page, { recursive: true });
      const { before = '', after = '', within } = writtenAs(block) ?? {};
      const name = /^\/\/ ([\w.]+\.ts)\n/.exec(block.text)?.[1] ?? `block-${block.line}.${block.language}`;
      places.set(path.relative(folder, path.join(page, name)), placeOf(block));
      // `export {}`: each is a module of its own, even without an import.
      const code = within === undefined ? block.text : block.text.replaceAll("'../", `'${path.join(ROOT, within)}/../`);
      writeFileSync(path.join(page, name), `${before}${code}\n${after}\nexport {};\n`);
    }
    for (const [file, text] of Object.entries(beside)) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), text);
    }
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(CONFIG));
    const { stdout, stderr } = spawnSync(process.execPath, [TSC, '-p', folder], { cwd: folder, encoding: 'utf8' });
    return `${stdout}${stderr}`.replace(/^[\w./-]+\.[tj]s/gm, (file) => `${places.get(file) ?? ''} ${file}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const TSC = path.join(ROOT, 'node_modules/typescript/bin/tsc');
