#!/usr/bin/env node
/**
 * The command `assay`. Runs on any Node from 20 on: if this one is older than Assay needs, it becomes the Node that was installed with it. A Node
 * that cannot (before 22.15, or on Windows) starts that one and waits for it, which takes 40 MB as long as it runs.
 *
 * In a clone the sources run as they are; an installed package has them compiled, because Node does not strip types below node_modules.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { installedNode } from './installed-node.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
/** The first with `node:sqlite` and with types stripped by default. */
const needed = 24;
const source = path.join(root, 'src/cli/main.ts');
const main = existsSync(source) ? source : path.join(root, 'dist/cli/main.js');
endWithNpm(process.env);
// Half of the work of a start is compiling. Beside the program, where only its owner writes; nothing is kept where that is not this user.
module.enableCompileCache?.(path.join(root, 'node_modules/.cache/assay-compiled'));

if (!existsSync(main)) {
  process.stderr.write(
    'assay was packed without dist/, which npm builds unless it is told to run no scripts: pack it again with `npm pack --ignore-scripts=false`\n',
  );
  process.exitCode = 1;
} else if (Number(process.versions.node.split('.')[0]) >= needed) await import(pathToFileURL(main).href);
else {
  const node = installedNode();
  if (node === undefined) {
    process.stderr.write(
      `assay needs Node ${needed} or newer, and this is ${process.version}: install one, or install Assay without --omit=optional, which brings its own\n`,
    );
    process.exitCode = 1;
  } else become(node);
}

function become(node) {
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  try {
    if (typeof process.execve !== 'function') return run(node, args);
    process.execve(node, [node, ...args]);
  } catch {
    run(node, args);
  }
}

/** Ends as the child does. SIGINT comes from the terminal, which sends it to both; a second one would make the service stop at once. */
function run(node, args) {
  const child = spawn(node, args, { stdio: 'inherit' });
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`assay: cannot start ${node}: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exitCode = code ?? 1;
    else {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    }
  });
}

/**
 * npm runs a command below a shell, and a SIGTERM to npm ends that shell alone. The shell of a script that starts Assay in the background ends
 * at once, and means nothing.
 */
function endWithNpm({ npm_lifecycle_script: script = '' }) {
  if (!/\bassay\b/.test(script) || script.includes('&')) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 500);
  watch.unref();
}
