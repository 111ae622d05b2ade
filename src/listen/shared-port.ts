/**
 * A port of one process behind which several projects are. A request names its project, and the first of these holds:
 *
 *   a header      assay-project: payments
 *   the host      payments.assay.example.com: a project's name is the first label
 *   a token       one that the default project does not know, and another one does
 *   none          the default project
 *
 * A token of Assay that nobody knows is never taken for none: while a project is away it may be that project's, and its
 * spans must not land in another one's store.
 *
 * The name lets nobody in: the project's own guard decides, as if the project had the port alone.
 */
import type { AccessGuard, RequestHead } from '../model/access.ts';

const PROJECT_HEADER = 'assay-project';

/** A project's side of a port. */
interface PortSide {
  readonly access: AccessGuard;
}

type FoundSide<S> =
  | { readonly side: S }
  /** No project has that name. */
  | { readonly unknown: string }
  /** It has not started, or is stopping. */
  | { readonly away: string }
  /** A token that no project has. */
  | { readonly stranger: true };

/** As `access/token.ts` makes them. Others are those of other backends, which exporters send everywhere. */
const OWN_TOKEN = /^Bearer +assay_/i;

/** Name by which requests and resources say that the default project is meant. */
export const DEFAULT_PROJECT = 'default';

export class SharedPort<S extends PortSide> {
  /** Undefined while a project is away. */
  readonly #sides = new Map<string, S | undefined>();

  /** All projects besides the default one are known from the start. */
  constructor(projects: readonly string[]) {
    for (const project of projects) this.#sides.set(project, undefined);
  }

  /** Gives what ends it. */
  open(project: string, side: S): () => void {
    this.#sides.set(project, side);
    return () => this.#sides.set(project, undefined);
  }

  find(head: RequestHead, own: S): FoundSide<S> {
    const { [PROJECT_HEADER]: header, host, authorization } = head.headers;
    if (header === DEFAULT_PROJECT) return { side: own };
    if (header !== undefined) return this.named(String(header));
    const label = host?.split('.', 1)[0]?.toLowerCase() ?? '';
    if (this.#sides.has(label)) return this.named(label);
    if (authorization === undefined || own.access.knows(authorization)) return { side: own };
    for (const side of this.#sides.values()) if (side?.access.knows(authorization) === true) return { side };
    if (!OWN_TOKEN.test(authorization)) return { side: own };
    const away = [...this.#sides].find(([, side]) => side === undefined);
    return away === undefined ? { stranger: true } : { away: away[0] };
  }

  named(project: string): FoundSide<S> {
    if (!this.#sides.has(project)) return { unknown: project };
    const side = this.#sides.get(project);
    return side === undefined ? { away: project } : { side };
  }
}

interface Turned {
  readonly status: 401 | 404 | 503;
  readonly message: string;
}

/** The answer to a client whose request reaches no project. */
export function turnedAway(found: Exclude<FoundSide<unknown>, { side: unknown }>): Turned {
  if ('away' in found) {
    const message = `the project ${found.away} is not ready: the log of the service says why; try again later`;
    return { status: 503, message };
  }
  if ('stranger' in found) return { status: 401, message: 'no project has this token' };
  const name = JSON.stringify(found.unknown.slice(0, 60));
  return { status: 404, message: `there is no project ${name}: give a name of projects in the configuration` };
}
