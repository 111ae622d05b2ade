/**
 * An archive in a bucket of the S3 interface: AWS, or any server that speaks it. Four requests are all it needs: PUT, GET
 * and DELETE of an object, and ListObjectsV2. `aws4fetch` signs them (decision 62).
 *
 * Each request has a deadline. Repeating is the caller's, who knows what may be repeated.
 */
import { AwsV4Signer } from 'aws4fetch';
import { createHash } from 'node:crypto';
import type { AwsVariables, ObjectStore } from './object-store.ts';

/** A request that takes longer has failed. The lease of the archive outlasts it (`store/rules/archive.ts`). */
export const REQUEST_MS = 60_000;
const NOT_FOUND = 404;
const REASON_MAX = 200;

interface Bucket {
  /** Address of the bucket, without a slash at its end. */
  readonly url: string;
  /** Before each key; empty or ending with a slash. */
  readonly prefix: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string; sessionToken?: string };
  readonly requestMs?: number;
}

/** The object store did not do what was asked. */
class ObjectStoreFailure extends Error {}

export class S3Store implements ObjectStore {
  readonly #bucket: Bucket;

  constructor(bucket: Bucket) {
    this.#bucket = bucket;
  }

  static of(place: string, variables: AwsVariables): S3Store {
    return new S3Store(bucketOf(place, variables));
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    await expectOk(await this.#ask('PUT', this.#keyUrl(key), bytes), `write ${key}`);
  }

  async get(key: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const response = await this.#ask('GET', this.#keyUrl(key));
    if (response.status === NOT_FOUND) {
      await response.body?.cancel();
      return undefined;
    }
    if (!response.ok) await expectOk(response, `read ${key}`);
    return new Uint8Array(await response.arrayBuffer());
  }

  async delete(key: string): Promise<void> {
    const response = await this.#ask('DELETE', this.#keyUrl(key));
    if (response.status === NOT_FOUND) await response.body?.cancel();
    else await expectOk(response, `delete ${key}`);
  }

  async *list(prefix: string): AsyncGenerator<readonly string[]> {
    const { url: address, prefix: before } = this.#bucket;
    for (let token: string | undefined = ''; token !== undefined; ) {
      const url = new URL(`${address}/`);
      url.searchParams.set('list-type', '2');
      url.searchParams.set('prefix', `${before}${prefix}`);
      if (token !== '') url.searchParams.set('continuation-token', token);
      const page = await expectOk(await this.#ask('GET', url), 'list the bucket');
      yield [...page.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => unescaped(key).slice(before.length));
      const next = /<NextContinuationToken>([^<]*)<\/NextContinuationToken>/.exec(page)?.[1];
      token = next === undefined ? undefined : unescaped(next);
    }
  }

  /** Keys are ours: no character of them is written differently in an address. */
  #keyUrl(key: string): URL {
    const { url, prefix } = this.#bucket;
    return new URL(`${url}/${prefix}${key}`);
  }

  async #ask(method: 'GET' | 'PUT' | 'DELETE', url: URL, body?: Uint8Array): Promise<Response> {
    const { region, credentials, requestMs = REQUEST_MS } = this.#bucket;
    const hash = createHash('sha256')
      .update(body ?? '')
      .digest('hex');
    const signer = new AwsV4Signer({
      ...credentials,
      region,
      service: 's3',
      method,
      url: url.href,
      headers: { 'x-amz-content-sha256': hash },
    });
    const { headers } = await signer.sign();
    try {
      return await fetch(signer.url, {
        method,
        headers,
        redirect: 'error',
        signal: AbortSignal.timeout(requestMs),
        ...(body === undefined
          ? {}
          : { body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) as Uint8Array<ArrayBuffer> }),
      });
    } catch (error) {
      const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      throw new ObjectStoreFailure(`${method} to ${url.host}: ${reason}`, { cause: error });
    }
  }
}

function bucketOf(place: string, variables: AwsVariables): Bucket {
  const { hostname: bucket, pathname } = new URL(place);
  const prefix = pathname.replace(/^\/+|\/+$/g, '');
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = variables;
  if (!accessKeyId || !secretAccessKey)
    throw new ObjectStoreFailure(`${place}: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`);
  const region = variables.AWS_REGION || variables.AWS_DEFAULT_REGION || 'us-east-1';
  const endpoint = variables.AWS_ENDPOINT_URL_S3 || variables.AWS_ENDPOINT_URL;
  const sessionToken = variables.AWS_SESSION_TOKEN;
  return {
    url: endpoint ? `${endpoint.replace(/\/+$/, '')}/${bucket}` : addressAtAws(bucket, region),
    prefix: prefix === '' ? '' : `${prefix}/`,
    region,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) },
  };
}

/** A name with dots matches no certificate of AWS as a host. */
function addressAtAws(bucket: string, region: string): string {
  const host = `s3.${region}.amazonaws.com`;
  return bucket.includes('.') ? `https://${host}/${bucket}` : `https://${bucket}.${host}`;
}

/** The body of an answer that says yes. */
async function expectOk(response: Response, what: string): Promise<string> {
  const body = await response.text();
  if (response.ok) return body;
  const code = /<Code>([^<]*)<\/Code>/.exec(body)?.[1] ?? body.slice(0, REASON_MAX);
  throw new ObjectStoreFailure(`${what}: the object store answered ${response.status} ${code}`.trim());
}

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
