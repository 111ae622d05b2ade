/**
 * A bucket of the S3 interface in the test's own process: as much of it as the archive uses, pages of two keys, and
 * faults. A real server that verifies signatures is in test/outside/archive.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { whenDone } from '../for-file.ts';

/** For a request that was received whole: `silent` never answers, and `broken off` does what was asked before. */
type BucketFault = 'silent' | 'broken off' | 503 | undefined;

const PAGE_KEYS = 2;
export const BUCKET = 'bucket';

export interface PlayedBucket {
  readonly url: string;
  readonly objects: Map<string, Buffer>;
  readonly asked: { readonly method: string; readonly headers: IncomingMessage['headers'] }[];
  fault: (method: string) => BucketFault;
  /** Ends all connections. */
  breakOff(): void;
}

export async function playBucket(): Promise<PlayedBucket> {
  const objects = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => answer(request, response, Buffer.concat(parts)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  whenDone(() => {
    server.closeAllConnections();
    server.close();
  });
  // The cast holds for a server that listens on a port.
  const { port } = server.address() as AddressInfo;
  const played: PlayedBucket = {
    url: `http://127.0.0.1:${port}`,
    objects,
    asked: [],
    fault: () => undefined,
    breakOff: () => server.closeAllConnections(),
  };

  function answer(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    const { method = '', headers } = request;
    played.asked.push({ method, headers });
    const fault = played.fault(method);
    if (fault === 'silent') return;
    if (fault === 503) {
      response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>');
      return;
    }
    const hash = createHash('sha256').update(body).digest('hex');
    if (headers['x-amz-content-sha256'] !== hash || headers.authorization?.startsWith('AWS4-HMAC-SHA256 ') !== true) {
      response.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>');
      return;
    }
    const { status, text } = carryOut(method, new URL(request.url ?? '/', played.url), body);
    if (fault === 'broken off') response.destroy();
    else response.writeHead(status).end(text);
  }

  function carryOut(
    method: string,
    url: URL,
    body: Buffer,
  ): { readonly status: number; readonly text: string | Buffer } {
    const key = decodeURIComponent(url.pathname.slice(`/${BUCKET}/`.length));
    if (url.searchParams.get('list-type') === '2') return { status: 200, text: listed(url.searchParams) };
    if (method === 'PUT') objects.set(key, body);
    if (method === 'DELETE') return { status: objects.delete(key) ? 204 : 404, text: '' };
    const found = objects.get(key);
    return found === undefined ? { status: 404, text: '' } : { status: 200, text: method === 'PUT' ? '' : found };
  }

  function listed(asked: URLSearchParams): string {
    const after = asked.get('continuation-token') ?? '';
    const keys = [...objects.keys()]
      .filter((key) => key.startsWith(asked.get('prefix') ?? '') && key > after)
      .toSorted();
    const page = keys.slice(0, PAGE_KEYS);
    const next = keys.length > PAGE_KEYS ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    return `<ListBucketResult>${page.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')}${next}</ListBucketResult>`;
  }

  return played;
}

export function variablesOf({ url }: Pick<PlayedBucket, 'url'>) {
  return { AWS_ENDPOINT_URL_S3: url, AWS_ACCESS_KEY_ID: 'played', AWS_SECRET_ACCESS_KEY: 'not-to-be-shown' };
}
