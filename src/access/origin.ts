/**
 * Where a request comes from, as far as it can be seen.
 *
 *   this machine     the address of the connection is a loopback address, and no proxy shows itself. A proxy on this
 *                    machine that hides everything cannot be told from a program: operators set `access.required`
 *   a web page       `Host` is the name by which the browser found us: a page whose own name was pointed at this machine
 *                    (DNS rebinding) says that name. `Origin` and `Sec-Fetch-Site` name the page that sends
 */
import type { RequestHead } from '../model/access.ts';

const PROXY_HEADERS = ['forwarded', 'via', 'x-real-ip', 'x-remote-ip', 'x-remote-addr', 'x-originating-ip'];
const PROXY_PREFIXES = ['x-forwarded', 'cf-', 'x-original-', 'x-envoy-external-', 'x-azure-'];
/** `Client-IP` alone, and with the name of a vendor before it: True-, Fly-, Fastly-, X-Cluster-. */
const CLIENT_IP = /^(?:.+-)?client-?ip$/;

export function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && /^(?:::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/i.test(address);
}

/** An address to listen on that no other machine can reach. */
export function isLoopbackListener(host: string): boolean {
  return isLoopbackAddress(host) || host.toLowerCase() === 'localhost';
}

/** HTTP/1.0 is nginx's default towards its upstream. */
export function showsProxy({ headers, httpVersion }: RequestHead): boolean {
  if (httpVersion === '1.0' || httpVersion === '0.9') return true;
  for (const name in headers) {
    if (PROXY_HEADERS.includes(name) || CLIENT_IP.test(name)) return true;
    if (PROXY_PREFIXES.some((prefix) => name.startsWith(prefix))) return true;
  }
  return false;
}

/**
 * The names that mean this machine wherever they are said. The last two are the host as Docker Desktop and Podman name
 * it in containers; they end in .internal, which nobody can register, so that no page can have them.
 */
const LOOPBACK_NAME = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|host\.docker\.internal|host\.containers\.internal)$/i;

/** `allowed` are host names, with a port or without one. */
export function isAllowedHost(host: string | undefined, allowed: readonly string[]): boolean {
  if (host === undefined) return false;
  const [, name = ''] = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/.exec(host) ?? [];
  const given = host.toLowerCase();
  return (
    LOOPBACK_NAME.test(name) ||
    (name !== '' && allowed.some((one) => one.toLowerCase() === given || one.toLowerCase() === name.toLowerCase()))
  );
}

/** A browser sends it for a page that is not ours. */
export function comesFromForeignPage(head: RequestHead): boolean {
  const { origin, host, 'sec-fetch-site': site } = head.headers;
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) return true;
  return site !== undefined && site !== 'same-origin' && site !== 'none' && !isFollowedLink(head);
}

/** Somebody followed a link: the page that has it cannot read the answer. */
export function isFollowedLink({ headers, method }: RequestHead): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document'
  );
}
