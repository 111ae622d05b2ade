/**
 * Installs the packages that a framework's file pins into a separate temporary folder, never into the project, and puts
 * the file and its driver there. A folder that already has exactly these packages is reused.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Framework } from './framework-file.ts';

export interface Installation {
  readonly folder: string;
  readonly command: string;
  /** The program's file, or all arguments of the command. */
  readonly file: string | readonly string[];
}

const INSTALLED = 'installed.json';

export function install(framework: Framework): Installation {
  const folder = path.join(tmpdir(), 'assay-capture', `${framework.name}@${framework.version}`);
  const wanted = JSON.stringify(framework.packages);
  const mark = path.join(folder, INSTALLED);
  if (!existsSync(mark) || readFileSync(mark, 'utf8') !== wanted) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    if (framework.language === 'javascript') installFromNpm(folder, framework);
    else installFromPyPI(folder, framework);
    writeFileSync(mark, wanted);
  }
  const driver = framework.language === 'javascript' ? 'driver.mjs' : 'driver.py';
  copyFileSync(path.join(import.meta.dirname, driver), path.join(folder, driver));
  const file = path.join(folder, framework.language === 'javascript' ? 'run.mjs' : 'run.py');
  copyFileSync(framework.file, file);
  const command = framework.language === 'javascript' ? process.execPath : path.join(folder, 'venv/bin/python');
  return { folder, command, file };
}

function installFromNpm(folder: string, { packages }: Framework): void {
  writeFileSync(
    path.join(folder, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies: packages }),
  );
  run(
    'npm',
    ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps', '--loglevel=error'],
    folder,
  );
}

function installFromPyPI(folder: string, { packages }: Framework): void {
  run('python3', ['-m', 'venv', 'venv'], folder);
  const pins = Object.entries(packages).map(([name, version]) => `${name}==${version}`);
  run('venv/bin/pip', ['install', '--quiet', '--disable-pip-version-check', ...pins], folder);
}

function run(command: string, options: readonly string[], folder: string): void {
  execFileSync(command, options, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
}
