/**
 * Decides which clients may write: with a token, those that send it. Without one, only programs on this machine, and
 * none that a web page can make a browser be:
 *
 *   1. The connection comes from the loopback address, and through no proxy that says so (Forwarded, X-Forwarded-For).
 *   2. `Host` is a loopback name. A page whose own name was pointed at this machine says that name.
 *   3. `Origin`, which browsers send, is absent or this very address.
 *   4. The content type is JSON. A browser asks first (OPTIONS) before it sends that to another origin, and gets no permission here
 *      (`json-body.ts`).
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Answer, jsonAnswer } from './answer.ts';

/** The answer to a request that may not write; undefined where it may. */
export function refuseWriter(request: IncomingMessage, token: string | undefined): Answer | undefined {
  const { headers } = request;
  if (token !== undefined) {
    const [, given] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
    if (given !== undefined && isSameSecret(given, token)) return undefined;
    const problem = given === undefined ? 'it has none' : 'it has another one';
    const error = `writing takes the token of http.write_token: Authorization: Bearer <token>; ${problem}`;
    return jsonAnswer(401, { error }, { 'www-authenticate': 'Bearer realm="assay"' });
  }
  const isProxied = headers.forwarded !== undefined || headers['x-forwarded-for'] !== undefined;
  if (!isLoopbackAddress(request.socket.remoteAddress) || isProxied) {
    return jsonAnswer(403, {
      error:
        'without a token only this machine may write: set http.write_token_file or ASSAY_HTTP_WRITE_TOKEN, and send it',
    });
  }
  if (!isLoopbackName(headers.host)) {
    return jsonAnswer(403, { error: 'without a token, Host must be localhost or a loopback address' });
  }
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${headers.host}`) {
    return jsonAnswer(403, { error: `without a token, pages of ${origin.slice(0, 200)} may not write` });
  }
  return undefined;
}

function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && /^(?:::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/.test(address);
}

function isLoopbackName(host: string | undefined): boolean {
  return host !== undefined && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i.test(host);
}

/** In the same time whatever is given. */
function isSameSecret(given: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(right));
}
