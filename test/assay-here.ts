/**
 * The command line in the process of the test, which has loaded it: a process of its own takes longer to start than most
 * commands take. `assay-command.ts` is for what needs one: signals, closed pipes, what serves, two commands at once.
 *
 * Arguments, folder, environment and the three streams of the process are those of the command while it runs, so one runs
 * after the other.
 */
import { Readable } from 'node:stream';
import { runCommandLine } from '../src/cli/command-line.ts';
import { type CommandOptions, type Ended, MAIN } from './assay-command.ts';
import { tempDirectory } from './temp-directory.ts';

let last: Promise<unknown> = Promise.resolve();

export function assayHere(args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  const cwd = options.cwd ?? tempDirectory();
  const ended = last.then(() => run(args, { ...options, cwd }));
  last = ended.catch(() => undefined);
  return ended;
}

async function run(
  args: readonly string[],
  { cwd, env: given, input }: CommandOptions & { readonly cwd: string },
): Promise<Ended> {
  const { argv, env, exitCode, stdin } = process;
  const folder = process.cwd();
  process.chdir(cwd);
  const typed = Readable.from(input === undefined ? [] : [Buffer.from(input)], { objectMode: false });
  Object.defineProperty(process, 'stdin', { value: typed, configurable: true });
  process.argv = [process.execPath, MAIN, ...args];
  process.env = { PATH: env.PATH, ...given };
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)];
  try {
    const status = await runCommandLine();
    return { status, stdout: stdout.end(), stderr: stderr.end() };
  } finally {
    stdout.end();
    stderr.end();
    Object.assign(process, { argv, env, exitCode });
    Object.defineProperty(process, 'stdin', { value: stdin, configurable: true });
    process.chdir(folder);
  }
}

/** Takes what is written, until its end. */
function capture(stream: NodeJS.WriteStream): { end(): string } {
  const { write } = stream;
  const pieces: Buffer[] = [];
  stream.write = (piece: string | Uint8Array) => {
    pieces.push(Buffer.from(piece));
    return true;
  };
  return {
    end: () => {
      stream.write = write;
      return Buffer.concat(pieces).toString();
    },
  };
}
