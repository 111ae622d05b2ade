/**
 * Bounds of one request to a route, by the place that answers it: the place has the limits. A route that is in no table of
 * the service has none, and the attack fails. Processor time and memory are about three times what was measured, so that
 * another machine does not fail and a lost limit does.
 */
import { MCP_ROUTES } from '../../src/serve/mcp/mcp-route.ts';
import { PAGE_ROUTES } from '../../src/serve/page/page-routes.ts';
import { PEOPLE_ROUTES } from '../../src/serve/api/people-api.ts';
import { FORGET_ROUTES, PROCESS_ROUTES, STORE_WRITES } from '../../src/serve/api/routes.ts';
import { STORE_READS } from '../../src/serve/api/store-reads.ts';
import { COMPARING_READS } from '../../src/serve/api/v1/comparing-reads.ts';
import { VERSION_CHECK_ROUTES } from '../../src/serve/comparing/version-check-route.ts';
import { EXPORT_ROUTES } from '../../src/serve/exporting/export-route.ts';
import { WHAT_IF_ROUTES } from '../../src/serve/what-if/what-if-routes.ts';
import type { RouteShapes } from '../../src/report/http/route.ts';

export interface Bounds {
  /** Bytes of an answer, its head included. */
  readonly answerBytes: number;
  /** Processor time of the thread that receives, for a request; each mebibyte that is sent takes `SENT_MIB_MS` more. */
  readonly receivingMs: number;
  /** Growth of memory under an attack of many clients. */
  readonly memoryMiB: number;
  /** Processor time of the process after the clients have left. */
  readonly afterLeavingMs: number;
}

export const SENT_MIB_MS = 5;

export interface TableRow {
  readonly method: string;
  readonly path: string;
  readonly shapes?: RouteShapes | undefined;
  readonly handle?: unknown;
}

interface Place {
  readonly routes: readonly TableRow[];
  readonly bounds: Bounds;
}

const KIB = 1024;
const MIB = 1024 * KIB;

const PLACES: Readonly<Record<string, Place>> = {
  process: {
    routes: [...PROCESS_ROUTES, { method: 'GET', path: '/' }],
    bounds: { answerBytes: 16 * MIB, receivingMs: 40, memoryMiB: 200, afterLeavingMs: 4_000 },
  },
  reading: {
    routes: STORE_READS,
    bounds: { answerBytes: 8 * MIB, receivingMs: 40, memoryMiB: 400, afterLeavingMs: 1_500 },
  },
  comparing: {
    routes: [...COMPARING_READS, ...VERSION_CHECK_ROUTES],
    bounds: { answerBytes: 8 * MIB, receivingMs: 40, memoryMiB: 400, afterLeavingMs: 3_000 },
  },
  what_if: {
    routes: WHAT_IF_ROUTES,
    bounds: { answerBytes: 2 * MIB, receivingMs: 40, memoryMiB: 400, afterLeavingMs: 3_000 },
  },
  export: {
    // As long as what is asked for; it is written as the client takes it.
    routes: EXPORT_ROUTES,
    bounds: { answerBytes: Number.POSITIVE_INFINITY, receivingMs: 60, memoryMiB: 400, afterLeavingMs: 3_000 },
  },
  write: {
    routes: STORE_WRITES,
    bounds: { answerBytes: 512 * KIB, receivingMs: 100, memoryMiB: 250, afterLeavingMs: 1_500 },
  },
  forget: {
    routes: FORGET_ROUTES,
    bounds: { answerBytes: 64 * KIB, receivingMs: 150, memoryMiB: 250, afterLeavingMs: 8_000 },
  },
  people: {
    routes: PEOPLE_ROUTES,
    bounds: { answerBytes: 16 * KIB, receivingMs: 5, memoryMiB: 150, afterLeavingMs: 500 },
  },
  mcp: {
    routes: MCP_ROUTES,
    bounds: { answerBytes: 256 * KIB, receivingMs: 40, memoryMiB: 250, afterLeavingMs: 3_000 },
  },
  page: {
    routes: PAGE_ROUTES,
    bounds: { answerBytes: MIB, receivingMs: 5, memoryMiB: 150, afterLeavingMs: 500 },
  },
};

/** OTLP decides for itself how much it takes: decision 2. */
export const OTLP_BOUNDS: Bounds = { answerBytes: 16 * KIB, receivingMs: 250, memoryMiB: 500, afterLeavingMs: 6_000 };

interface Found {
  readonly place: string;
  readonly row: TableRow;
  readonly bounds: Bounds;
}

/** By the path as the service lists it, with `<name>` for what is open. */
export function placeOf(method: string, listed: string): Found | undefined {
  for (const [place, { routes, bounds }] of Object.entries(PLACES)) {
    const row = routes.find((one) => one.method === method && shown(one.path) === listed);
    if (row !== undefined) return { place, row, bounds };
  }
  return undefined;
}

function shown(path: string): string {
  return path.replaceAll(/\{(\w+)(?:\.\.\.)?\}/g, '<$1>');
}
