/**
 * The house rules that a machine can check. Each names the remedy when it is broken, and has canaries: texts that break
 * it, so that a rule that no longer finds anything is noticed. Formatting, floating promises, exhaustive switches,
 * import cycles and the length of functions are checked by the linter.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '..');
/** Folders with a wall: the compiler knows what each may import, from its own tsconfig.json. */
const PACKAGES = [
  ...['model', 'otlp', 'api', 'normalize', 'redact', 'assemble', 'reader', 'language', 'statistics', 'kafka'],
];
/** Stages of the application, and the packages that each may use besides the model. */
const STAGES: Readonly<Record<string, readonly string[]>> = {
  access: [],
  archive: [],
  receive: ['otlp', 'redact'],
  journal: [],
  score: ['language'],
  store: [],
  report: ['otlp', 'api'],
  ask: [],
  mutate: [],
  'agent-runner': [],
  mcp: ['api'],
};
/** Rooms that a stage may use besides itself. */
const SHARED = ['model', 'listen'];
/** Each room that connects stages, and the rooms of its kind that it may use besides stages, packages and the configuration. */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  engine: [],
  backtest: ['engine'],
  learn: ['engine'],
  offline: ['engine', 'backtest', 'learn', 'instrument'],
  serve: ['engine', 'backtest', 'learn'],
};
/** Folders of a room from the ground up; those of one floor do not import each other. Files beside the folders may import all. */
const FLOORS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  serve: [
    ['threads', 'store-place', 'criteria', 'estimate', 'page'],
    ['forgetting', 'detection', 'mcp'],
    ['scoring'],
    ['deployment'],
    ['one-machine', 'cluster', 'running'],
    ['api'],
    ['reading', 'exporting', 'what-if'],
    ['comparing', 'archiving'],
    ['http'],
  ],
  score: [
    ['subject', 'alignment'],
    ['expected'],
    ['cel'],
    ['order'],
    ['trajectory'],
    ['judge'],
    ['checks', 'yaml'],
    ['suite'],
    ['suite-test'],
  ],
};
const ROOMS = [
  ...[...PACKAGES, ...Object.keys(STAGES), ...Object.keys(BELOW)],
  ...['listen', 'config', 'cli', 'instrument', 'vitest', 'page'],
];
/** The exports of package.json, which others import. */
const PACKAGE_EXPORTS = ['src/instrument/instrument.ts', 'src/score/define-suite.ts', 'src/vitest/vitest.ts'];
/** Targets: a file beyond one of them is named here with the reason that a reviewer took. */
const BEYOND: Readonly<Record<string, string>> = {
  'src/serve/service.ts': 'composition root: the list of parts, in the order in which they start',
  'src/serve/one-machine/one-machine.ts': 'composition root',
  'src/serve/cluster/cluster.ts': 'composition root',
  'src/serve/scoring-thread.ts': 'composition root of a thread',
  'src/cli/commands.ts': 'a table: one line for each command',
  'src/normalize/dialects.ts': 'a table: one line for each dialect',
  'src/score/checks/built-in-checks.ts': 'a table: one line for each check',
};
const LINES_MAX = 500;
const BYTES_MAX = 600_000;
const IMPORTS_MAX = 25;

interface Import {
  readonly file: string;
  readonly from: string;
  readonly room: string;
  readonly target: string;
  readonly targetRoom: string | undefined;
  /** The imported names; undefined means all of them. */
  readonly names: readonly string[] | undefined;
}

function isSource(file: string): boolean {
  return /\.tsx?$/.test(file);
}

/** The files of the repository, or of a canary. */
class Tree {
  readonly files: ReadonlyMap<string, string>;
  readonly sources: readonly string[];
  readonly imports: readonly Import[];

  constructor(files: ReadonlyMap<string, string>) {
    this.files = files;
    this.sources = this.under('src/');
    this.imports = [...files.keys()].filter(isSource).flatMap((file) => this.#importsOf(file));
  }

  under(folder: string): readonly string[] {
    return [...this.files.keys()].filter((file) => file.startsWith(folder) && isSource(file));
  }

  read(file: string): string {
    return this.files.get(file) ?? '';
  }

  /** The files whose text matches. */
  with(pattern: RegExp, files: readonly string[] = this.sources): string[] {
    return files.filter((file) => pattern.test(this.read(file)));
  }

  /** The imports of `src` that break the rules, described in words. */
  importing(isBroken: (one: Import) => boolean): string[] {
    return this.imports
      .filter((one) => one.file.startsWith('src/') && isBroken(one))
      .map(({ file, from }) => `${file} imports ${from}`);
  }

  #importsOf(file: string): readonly Import[] {
    const pattern =
      /(?:^|\n)\s*(?:import|export)\s(?:type\s)?([^;'"]*?)\s*from '([^']+)'|import\('([^']+)'\)|(?:^|\n)import '([^']+)'/g;
    return [...this.read(file).matchAll(pattern)].map(([, clause, ...targets]) => {
      const from = targets.find((one) => one !== undefined) ?? '';
      const target = from.startsWith('.') ? path.normalize(path.join(path.dirname(file), from)) : from;
      const names = /^\{([^}]*)\}$/.exec(clause ?? '')?.[1]?.split(',');
      return {
        file,
        from,
        room: file.split('/')[1] ?? '',
        target,
        targetRoom: from.startsWith('.') ? target.split('/')[1] : undefined,
        names: names?.map((name) =>
          name
            .trim()
            .replace(/^type /, '')
            .replace(/ as .*/, ''),
        ),
      };
    });
  }
}

interface Rule {
  /** The rule, and the remedy if it is not obvious. */
  readonly claim: string;
  /** The places that break it, described in words. */
  readonly broken: (tree: Tree) => readonly string[];
  /** Canaries, each of which breaks it alone: a file and its text. */
  readonly canaries: readonly (readonly [file: string, text: string])[];
}

const RULES: readonly Rule[] = [
  {
    claim: 'every folder of src is a word of the design',
    broken: ({ files }) =>
      [...files.keys()].filter((file) => file.startsWith('src/') && !ROOMS.includes(file.split('/')[1] ?? '')),
    canaries: [['src/core/thing.ts', '']],
  },
  {
    claim:
      'a stage imports itself and the packages that it may use: to connect stages, do it in src/engine, src/serve or src/offline',
    broken: (tree) =>
      tree.importing(({ room, targetRoom }) => {
        const packages = STAGES[room];
        if (packages === undefined || targetRoom === undefined || targetRoom === room) return false;
        return ![...SHARED, ...packages].includes(targetRoom);
      }),
    canaries: [
      ['src/score/thing.ts', "import { a } from '../store/b.ts';"],
      ['src/ask/thing.ts', "import type {\n  A,\n} from '../config/b.ts';"],
    ],
  },
  {
    claim:
      'the engine knows no log and no shell, and what serves knows nothing of recordings: move what both need down',
    broken: (tree) =>
      tree.importing(({ room, targetRoom }) => {
        const below = BELOW[room];
        if (below === undefined || targetRoom === undefined || targetRoom === room) return false;
        return ![...Object.keys(STAGES), ...PACKAGES, 'listen', 'config', ...below].includes(targetRoom);
      }),
    canaries: [
      ['src/engine/thing.ts', "import { a } from '../serve/b.ts';"],
      ['src/serve/thing.ts', "const { a } = await import('../offline/b.ts');"],
    ],
  },
  {
    claim: 'a folder of a room imports lower floors only: move what both need down, or the file that needs both up',
    broken: (tree) =>
      tree.importing(({ file, room, target, targetRoom }) => {
        const floors = FLOORS[room];
        if (floors === undefined || targetRoom !== room) return false;
        const [from, to] = [file, target].map((one) => one.split('/').slice(2, -1)[0]);
        if (from === to) return false;
        const [own, other] = [from, to].map((folder) => floors.findIndex((floor) => floor.includes(folder ?? '')));
        return other === -1 || (from !== undefined && (own ?? -1) <= (other ?? -1));
      }),
    canaries: [
      ['src/serve/one-machine/thing.ts', "import { a } from '../cluster/b.ts';"],
      ['src/serve/cluster/thing.ts', "import { a } from '../one-machine/b.ts';"],
      ['src/serve/scoring/thing.ts', "import { a } from '../http/b.ts';"],
      ['src/serve/api/v1/thing.ts', "import { a } from '../../service.ts';"],
      ['src/serve/new-folder/thing.ts', "import { a } from '../threads/b.ts';"],
    ],
  },
  {
    claim:
      'the page runs in a browser, and knows the model and the shapes of the API only; nothing imports the page: the service sends it',
    broken: (tree) =>
      tree.importing(({ room, from, targetRoom }) => {
        if (room !== 'page') return targetRoom === 'page';
        const isOurs = ['page', 'model', 'api'].includes(targetRoom ?? '');
        return !isOurs && !['marked', 'preact', 'preact/hooks', 'uplot'].includes(from);
      }),
    canaries: [
      ['src/page/thing.ts', "import { a } from '../store/b.ts';"],
      ['src/page/thing.ts', "import { readFileSync } from 'node:fs';"],
      ['src/serve/thing.ts', "import { a } from '../page/b.ts';"],
    ],
  },
  {
    claim: 'a package says in a README what it is for, and in a tsconfig.json what it may import',
    broken: ({ files }) =>
      [...new Set([...files.keys()].flatMap((file) => /^src\/([^/]+)\//.exec(file)?.[1] ?? []))]
        .filter((room) => PACKAGES.includes(room))
        .flatMap((room) => [`src/${room}/README.md`, `src/${room}/tsconfig.json`])
        .filter((file) => !files.has(file)),
    canaries: [
      ['src/otlp/README.md', '# OTLP'],
      ['src/otlp/tsconfig.json', '{}'],
    ],
  },
  {
    claim: 'the instrumentation helper depends on the OpenTelemetry API only: applications load it',
    broken: (tree) =>
      tree.importing(
        ({ room, from, targetRoom }) =>
          room === 'instrument' &&
          !(from === '@opentelemetry/api' || targetRoom === 'instrument' || targetRoom === 'model'),
      ),
    canaries: [['src/instrument/thing.ts', "import { z } from 'zod';"]],
  },
  {
    claim: 'our own modules are imported with their .ts or .tsx suffix, node modules with node:',
    broken: (tree) =>
      tree.importing(({ from }) =>
        from.startsWith('.')
          ? !isSource(from)
          : /^(fs|path|os|http|http2|zlib|crypto|util|events|stream|net|url|worker_threads|child_process)(\/|$)/.test(
              from,
            ),
      ),
    canaries: [
      ['src/model/thing.ts', "import { a } from './b.js';"],
      ['src/store/thing.ts', "import { open } from 'fs/promises';"],
    ],
  },
  {
    claim: `a file of src that imports more than ${IMPORTS_MAX} of our own, and connects no parts, is questioned: BEYOND`,
    broken: (tree) => {
      const fanOut = Map.groupBy(tree.imports, ({ file }) => file);
      return tree.sources.filter((file) => {
        const own = (fanOut.get(file) ?? []).filter(({ from }) => from.startsWith('.'));
        return new Set(own.map(({ target }) => target)).size > IMPORTS_MAX && BEYOND[file] === undefined;
      });
    },
    canaries: [
      ['src/serve/thing.ts', Array.from({ length: 26 }, (_, at) => `import { a${at} } from './b${at}.ts';\n`).join('')],
    ],
  },
  {
    claim: 'what is exported is imported somewhere: take the `export` away, or the whole thing where nothing uses it',
    broken: (tree) => {
      const wanted = new Set<string>();
      for (const { target, names } of tree.imports) {
        for (const name of names ?? exportsOf(tree.read(target))) wanted.add(`${target}: ${name}`);
      }
      return tree.sources
        .filter((file) => !PACKAGE_EXPORTS.includes(file))
        .flatMap((file) => exportsOf(tree.read(file)).map((name) => `${file}: ${name}`))
        .filter((name) => !wanted.has(name));
    },
    canaries: [
      ['src/model/a.ts', 'export interface Unused {}'],
      ['src/model/b.ts', "import { other } from './b.ts';\nexport async function unused() {}"],
      ['src/model/c.ts', 'const unused = 1;\nexport { unused };'],
    ],
  },
  {
    claim: 'no file only passes on what others export: import from where a thing is',
    broken: (tree) =>
      tree.sources.filter((file) => {
        const code = tree
          .read(file)
          .replace(/\/\*[\s\S]*?\*\//g, '')
          .split('\n')
          .filter((line) => line.trim() !== '' && !line.trim().startsWith('//'));
        return code.length > 0 && code.every((line) => /^export (\*|\{|type \{)/.test(line));
      }),
    canaries: [['src/model/thing.ts', "/** All of it. */\nexport * from './a.ts';\nexport { b } from './b.ts';\n"]],
  },
  {
    claim: 'no file is called after nothing in particular: name it for its idea',
    broken: (tree) =>
      tree.sources.filter((file) =>
        /(^|[-/])(utils?|helpers?|misc|common|manager|service-impl|types|constants)\.tsx?$/.test(file),
      ),
    canaries: [
      ['src/model/utils.ts', ''],
      ['src/store/row-helpers.ts', ''],
    ],
  },
  {
    claim: 'files are named in kebab-case',
    broken: (tree) =>
      tree.sources.filter((file) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)*\.tsx?$/.test(path.basename(file))),
    canaries: [['src/model/OpenTurns.ts', '']],
  },
  {
    claim: 'a file of src begins with what it is for',
    broken: (tree) => tree.sources.filter((file) => !/^(#!.*\n)?\/\*\*?[\s\S]{20,}?\*\//.test(tree.read(file))),
    canaries: [
      ['src/model/thing.ts', 'export const THING = 1; /** What it is for, but too late. */'],
      ['src/model/other.ts', '/** A thing. */'],
    ],
  },
  {
    claim: `a file of src that has grown past one idea is taken apart; one of more than ${LINES_MAX} lines is questioned: BEYOND`,
    broken: (tree) =>
      tree.sources.filter((file) => tree.read(file).split('\n').length > LINES_MAX && BEYOND[file] === undefined),
    canaries: [['src/model/thing.ts', '\n'.repeat(LINES_MAX)]],
  },
  {
    claim: 'only the command line ends the process',
    broken: (tree) => tree.with(/process\.(exit\(|exitCode)/).filter((file) => !file.startsWith('src/cli/')),
    canaries: [
      ['src/serve/thing.ts', 'process.exit(1);'],
      ['src/serve/thing.ts', 'process.exitCode = 1;'],
    ],
  },
  {
    claim: 'nothing is suppressed without a reason beside it',
    broken: (tree) =>
      tree.with(/@ts-ignore|@ts-nocheck|@ts-expect-error(?! .{10})|biome-ignore [^:]+: *(\n|$)|catch \{\}/, [
        ...tree.sources,
        ...tree.under('test/'),
      ]),
    canaries: [
      ['src/model/thing.ts', '// @ts-expect-error\n'],
      ['src/model/thing.ts', '// biome-ignore lint/suspicious/noExplicitAny: \n'],
      ['test/thing.test.ts', 'try { go(); } catch {}'],
    ],
  },
  {
    claim: 'no test is left out or alone',
    broken: (tree) => tree.with(/\b(test|it|describe)\.(only|skip|todo)\(/, tree.under('test/')),
    canaries: [['test/thing.test.ts', "test.only('alone', () => {});"]],
  },
  {
    claim: 'time and chance come from outside where the result must not depend on them',
    broken: (tree) =>
      tree
        .with(/Date\.now\(|Math\.random\(|setTimeout\(|setInterval\(|performance\.now\(|new Date\(\)/)
        .filter((file) => /^src\/(normalize|assemble|score|language|statistics|mutate)\//.test(file)),
    canaries: [
      ['src/score/thing.ts', 'const now = Date.now();'],
      ['src/statistics/detect/thing.ts', 'const start = new Date();'],
    ],
  },
  {
    // V8 makes such a closure old at once, and what it leads to stays until the whole heap is collected.
    claim:
      'where turns are made and scored, no function is written into a field or property: keep what it needs, and write a method',
    broken: (tree) =>
      tree
        .with(/^ +[\w.#]+\.#?\w+ (\?\?)?= (async )?(\w+ =>|function\b|\([^()]*\)(: [^=]+)? =>)/m)
        .filter((file) => /^src\/(normalize|assemble|score|language|engine|model|otlp|store)\//.test(file)),
    canaries: [
      ['src/assemble/thing.ts', 'constructor(v: X) {\n    this.#shown = () => v;\n}'],
      ['src/engine/thing.ts', '  this.of ??= (name: string): X => name;'],
    ],
  },
  {
    claim: 'nothing large or foreign is kept in the repository',
    broken: ({ files }) => [...files].filter(([, text]) => text.length > BYTES_MAX).map(([file]) => file),
    canaries: [['docs/picture.svg', ' '.repeat(BYTES_MAX + 1)]],
  },
];

/** The names that a file exports, its own and re-exported ones. */
function exportsOf(text: string): readonly string[] {
  const declared =
    /^export (?:async |abstract |declare )*(?:const|let|function\*?|class|interface|type) (\w+)|^export (?:type )?\{([^}]*)\}/gm;
  return [...text.matchAll(declared)].flatMap(([, name, list]) =>
    name !== undefined
      ? [name]
      : (list ?? '')
          .split(',')
          .map((one) => one.trim().replace(/^type |^.* as /g, ''))
          .filter((one) => one !== ''),
  );
}

/**
 * Each file with its bytes as characters, one for each, because all search texts are ASCII. This file is left out,
 * because it contains the search texts.
 */
function filesUnder(folder: string): (readonly [string, string])[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.name === 'node_modules' || file === 'test/tidy.test.ts') return [];
    if (entry.isDirectory()) return filesUnder(file);
    return [[file, readFileSync(path.join(ROOT, file), 'latin1')] as const];
  });
}

const FOLDERS = ['src', 'test', 'bench', 'docs', 'deploy', 'suites', 'examples', 'scripts', 'clients/python/src'];
const tree = new Tree(new Map(FOLDERS.flatMap(filesUnder)));

test.each(RULES)('$claim', ({ broken }) => {
  expect(broken(tree)).toEqual([]);
});

test.each(RULES.flatMap((rule) => rule.canaries.map((canary) => ({ ...rule, canary }))))(
  'a canary is caught: $claim',
  ({ broken, canary }) => {
    expect(broken(new Tree(new Map([canary])))).toHaveLength(1);
  },
);
