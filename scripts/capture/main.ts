/** Records the exports of published agent frameworks: see README.md. */
import path from 'node:path';
import { Command } from 'commander';
import { capture } from './capture.ts';
import { frameworkNames, readFramework } from './framework-file.ts';
import { install } from './install.ts';

const RESULTS = path.resolve(import.meta.dirname, '../../test/fixtures/captured');

const program = new Command('node scripts/capture/main.ts')
  .description(
    `Drives published agent frameworks against a scripted model and writes down the OTLP they export, into
test/fixtures/captured/<framework>@<version>/<scenario>[.<variant>].json, with .logs.json and .expected.json.

Packages are installed with npm or pip into ${'$TMPDIR'}/assay-capture, never into the project. The model
and the receiver are one server on a local port; a framework that calls home besides still does (VoltAgent asks models.dev).

Frameworks: ${frameworkNames().join(', ')}`,
  )
  .argument('<framework...>', 'whose packages to drive, or "all"')
  .option('-s, --scenario <name...>', 'only these scenarios')
  .option('-r, --variant <name...>', 'only these variants')
  .option('-u, --unlisted', "the scenarios given, even where a variant doesn't list them")
  .option('-o, --into <folder>', 'where the results go, instead of test/fixtures/captured')
  .option('-t, --timeout <seconds>', 'how long a run may take', '30')
  .option('-v, --verbose', "show the driver's output and requests that nobody understood")
  .action(main);

await program.parseAsync();

interface Options {
  readonly scenario?: readonly string[];
  readonly variant?: readonly string[];
  readonly unlisted?: true;
  readonly into?: string;
  readonly timeout: string;
  readonly verbose?: true;
}

async function main(given: readonly string[], options: Options): Promise<void> {
  let failed = 0;
  for (const name of given.includes('all') ? frameworkNames() : given) {
    const framework = readFramework(name);
    const installation = install(framework);
    for (const [variantName, variant] of Object.entries(framework.variants)) {
      if (options.variant !== undefined && !options.variant.includes(variantName)) continue;
      const listed = options.unlisted === true ? (options.scenario ?? []) : variant.scenarios;
      for (const scenarioName of listed) {
        if (options.scenario !== undefined && !options.scenario.includes(scenarioName)) continue;
        const complaints = await capture(framework, installation, {
          scenarioName,
          variantName,
          into: path.join(options.into ?? RESULTS, `${framework.name}@${framework.version}`),
          timeoutMs: Number(options.timeout) * 1000,
          isVerbose: options.verbose === true,
        });
        const label = `${framework.name}@${framework.version} ${scenarioName}.${variantName}`;
        console.log(complaints.length === 0 ? `${label}: captured` : `${label}: not captured`);
        for (const complaint of complaints) console.log(`    ${complaint}`);
        if (complaints.length > 0) failed += 1;
      }
    }
  }
  if (failed > 0) process.exitCode = 1;
}
