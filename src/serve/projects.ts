/**
 * The projects of a process. Each is a service of its own, with its settings, suites, tokens, log, store and counters,
 * so that no question can cross from one to another (decision 62). They share the process and its ports: those of the
 * default project, which starts first and stops last.
 *
 *   away       not started yet, or it could not be: clients are told to wait, and a reload starts it
 *   running    behind the shared ports
 *   stopped    away until the process ends
 *
 * A project that cannot start keeps no other from running, and nobody waits for one whose store is away.
 */
import { errorMessage } from '../model/error-message.ts';
import { sharedPorts } from './http/shared-ports.ts';
import { type Service, type ServiceOptions, startService } from './service.ts';

export interface ProjectStart {
  readonly name: string;
  /** Reads its configuration; fails with all mistakes in it. */
  readonly load: () => Promise<Omit<ServiceOptions, 'log' | 'version' | 'shared'>>;
}

export async function startProjects(options: ServiceOptions, projects: readonly ProjectStart[]): Promise<Service> {
  if (projects.length === 0) return startService(options);
  const shared = sharedPorts(projects.map(({ name }) => name));
  const main = await startService({ ...options, shared });
  const others = projects.map((project) => new Project(project, { ...options, shared }));
  for (const other of others) void other.start();
  let stopping: Promise<void> | undefined;
  return {
    ports: main.ports,
    reload: async () => {
      const outcome = await main.reload();
      for (const other of others) void other.reload();
      return outcome;
    },
    pending: () => others.reduce((sum, other) => sum + other.pending, main.pending()),
    stop: () => {
      stopping ??= stopAll(others, main);
      return stopping;
    },
  };
}

/** All of them stop, whatever one of them does; then its failure is thrown. */
async function stopAll(others: readonly Project[], main: Service): Promise<void> {
  const stopped = await Promise.allSettled(others.map((other) => other.stop()));
  await main.stop();
  const failures = stopped.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  if (failures.length > 0) throw new AggregateError(failures, failures.map(errorMessage).join('; '));
}

/** A start that waits for its store cannot be called off: it ends with the process. */
const STARTING_MS_MAX = 5_000;

class Project {
  readonly #project: ProjectStart;
  readonly #options: ServiceOptions;
  #service: Service | undefined;
  #isStopped = false;
  /** Starts, reloads and the stop come one after the other. */
  #underWay: Promise<unknown> = Promise.resolve();

  constructor(project: ProjectStart, options: ServiceOptions) {
    this.#project = project;
    this.#options = { ...options, log: options.log.with({ project: project.name }) };
  }

  get pending(): number {
    return this.#service?.pending() ?? 0;
  }

  start(): Promise<void> {
    return this.#next(() => this.#start());
  }

  reload(): Promise<void> {
    return this.#next(async () => {
      if (this.#service === undefined) await this.#start();
      else await this.#service.reload();
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    const { promise, reject } = Promise.withResolvers<never>();
    const { name } = this.#project;
    const late = () => reject(new Error(`stop project ${name}: it was still starting, and ends with the process`));
    const timer = setTimeout(late, STARTING_MS_MAX);
    await Promise.race([this.#underWay, promise]).finally(() => clearTimeout(timer));
    await this.#service?.stop();
    this.#options.log.flush(Date.now(), { all: true });
  }

  async #start(): Promise<void> {
    if (this.#isStopped) return;
    const { log, version, shared } = this.#options;
    try {
      this.#service = await startService({ ...(await this.#project.load()), log, version, shared });
      log.line('info', 'project: started, accepting data');
    } catch (error) {
      log.line('error', 'project: not started, the others run on; correct it and reload (SIGHUP)', {
        error: errorMessage(error),
      });
    }
  }

  #next(what: () => Promise<void>): Promise<void> {
    const done = this.#underWay.then(what);
    this.#underWay = done.catch(() => undefined);
    return done;
  }
}
