/**
 * The Nodes and npms that users have, from the registry: Node 20 and 22 come with npm 10, Node 24 with npm 11. All
 * projects share the cache of the machine's npm, so that each package is fetched once.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { madeOnce } from '../made-once.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const VERSIONS = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0' } as const;
const NPM_VERSIONS = { 10: '10.9.9', 11: '11.19.1' } as const;

export type NodeVersion = keyof typeof VERSIONS;
export type NpmVersion = keyof typeof NPM_VERSIONS;

export const NODES: readonly NodeVersion[] = [20, 22, 24];

export class Runtimes {
  /** Folder for what the tests make. */
  readonly base = mkdtempSync(path.join(tmpdir(), 'assay-projects-'));
  readonly #tools: string;
  readonly #cache = execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim();

  private constructor(tools: string) {
    this.#tools = tools;
  }

  static async install(): Promise<Runtimes> {
    const tools = await madeOnce(`nodes-${[...Object.values(VERSIONS), ...Object.values(NPM_VERSIONS)].join('-')}`, {
      needs: 'a registry of npm packages',
      make: async (folder) => {
        const nodes = Object.entries(VERSIONS).map(([major, version]) => [
          `node${major}`,
          `${nodePackage()}@${version}`,
        ]);
        const npms = Object.entries(NPM_VERSIONS).map(([major, version]) => [`npm${major}`, `npm@${version}`]);
        const dependencies = Object.fromEntries([...nodes, ...npms].map(([name, what]) => [name, `npm:${what}`]));
        writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
        execFileSync('npm', ['install', '--no-audit', '--no-fund', '--no-bin-links', '--loglevel=error'], {
          cwd: folder,
          stdio: ['ignore', 'ignore', 'inherit'],
        });
      },
    });
    return new Runtimes(tools);
  }

  /** As in a terminal of a machine with this Node: without the commands of Assay's own clone. */
  run(node: NodeVersion, cwd: string, ...command: readonly string[]) {
    const [program = '', ...args] = command;
    const folders = (process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
    const env = {
      ...onTheWay(process.env),
      PATH: [path.join(this.#tools, `node_modules/node${node}/bin`), ...folders].join(':'),
      HOME: this.base,
      npm_config_cache: this.#cache,
    };
    const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' });
    return { status, stdout, stderr, output: stripVTControlCharacters(`${stdout}${stderr}`) };
  }

  npm(node: NodeVersion, npm: NpmVersion, cwd: string, ...args: readonly string[]) {
    const cli = path.join(this.#tools, `node_modules/npm${npm}/bin/npm-cli.js`);
    return this.run(node, cwd, 'node', cli, '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error', ...args);
  }

  npx(node: NodeVersion, npm: NpmVersion, cwd: string, ...args: readonly string[]) {
    return this.run(node, cwd, 'node', path.join(this.#tools, `node_modules/npm${npm}/bin/npx-cli.js`), ...args);
  }

  remove(): void {
    rmSync(this.base, { recursive: true, force: true });
  }
}

/** The variables that a machine needs to reach the registry: its proxies and certificates. */
function onTheWay(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => /proxy$|_ca_|^ssl_cert/i.test(name)));
}

/** The package of this platform, of those that Assay itself brings. */
function nodePackage(): string {
  const { optionalDependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const name = Object.keys(optionalDependencies).find((one) => one.endsWith(`${platform}-${process.arch}`));
  if (name === undefined) throw new Error(`there is no Node for ${platform}-${process.arch}`);
  return name;
}
