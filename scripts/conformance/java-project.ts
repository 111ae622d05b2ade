/** A Maven project for a row in Java: its dependencies as `group:artifact@version`, and one class with a main method. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

interface Build {
  readonly packages: readonly string[];
  readonly source: string;
  readonly run: (command: string, given: readonly string[]) => Promise<string>;
}

export const javaProject = { build, command };

const CLASSES = 'classes';

async function build(folder: string, { packages, source, run }: Build): Promise<Readonly<Record<string, string>>> {
  mkdirSync(path.join(folder, CLASSES), { recursive: true });
  writeFileSync(path.join(folder, 'pom.xml'), pom(packages));
  const goals = ['dependency:build-classpath', '-Dmdep.outputFile=classpath', 'dependency:list'];
  await run('mvn', ['-B', '-q', ...goals, '-DoutputFile=resolved']);
  const classpath = readFileSync(path.join(folder, 'classpath'), 'utf8').trim();
  const sources = [source, path.join(path.dirname(source), 'Driver.java')];
  await run('javac', ['-parameters', '-nowarn', '-d', CLASSES, '-cp', classpath, ...sources]);
  const resolved = readFileSync(path.join(folder, 'resolved'), 'utf8');
  const found: Record<string, string> = {};
  for (const [, group, artifact, version] of resolved.matchAll(
    /^\s*([\w.-]+):([\w.-]+):jar:(?:[\w.-]+:)?([\w.-]+):\w+/gm,
  )) {
    const name = `${group}:${artifact}`;
    if (version !== undefined && packages.some((wanted) => wanted.startsWith(`${name}@`) || wanted === name))
      found[name] = version;
  }
  return found;
}

function command(folder: string, source: string) {
  const classpath = readFileSync(path.join(folder, 'classpath'), 'utf8').trim();
  // OpenTelemetry's agent is not for the class path alone.
  const agent = classpath.split(':').find((jar) => jar.includes('opentelemetry-javaagent'));
  const given = [
    ...(agent === undefined ? [] : [`-javaagent:${agent}`]),
    '-cp',
    `${path.join(folder, CLASSES)}:${classpath}`,
    path.parse(source).name,
  ];
  return { command: 'java', file: given };
}

/** `import:` before a name makes it a bill of materials, which gives others their versions. */
function pom(packages: readonly string[]): string {
  const boms = packages.filter((name) => name.startsWith('import:')).map((name) => name.slice('import:'.length));
  const jars = packages.filter((name) => !name.startsWith('import:'));
  const dependency = (name: string, more: string) => {
    const [, group, artifact, version] = /^([^:@]+):([^:@]+)(?:@(.+))?$/.exec(name) ?? [];
    const given = version === 'bom' ? undefined : (version ?? 'RELEASE');
    return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId>${
      given === undefined ? '' : `<version>${given}</version>`
    }${more}</dependency>`;
  };
  return `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>assay</groupId><artifactId>row</artifactId><version>1</version>
<dependencyManagement><dependencies>${boms
    .map((name) => dependency(name, '<type>pom</type><scope>import</scope>'))
    .join('')}</dependencies></dependencyManagement>
<dependencies>${jars.map((name) => dependency(name, '')).join('\n')}</dependencies></project>
`;
}
