/** Parts of a request that tell who sends it, from HTTP/1 and HTTP/2. */
import type { IncomingMessage } from 'node:http';
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { RequestHead } from '../model/access.ts';

export function headOfRequest(port: RequestHead['port'], request: IncomingMessage): RequestHead {
  const { method = '', headers, rawHeaders, socket, httpVersion } = request;
  // Names are at the even places.
  const hosts = rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === 'host').length;
  return { port, method, address: socket.remoteAddress, httpVersion, headers, hosts };
}

export function headOfCall(
  port: RequestHead['port'],
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
): RequestHead {
  const { ':authority': authority, ':method': method = '', host } = headers;
  return {
    port,
    method,
    address: stream.session?.socket.remoteAddress,
    httpVersion: '2.0',
    headers: { ...headers, host: authority ?? host },
    hosts: authority !== undefined && host !== undefined && authority !== host ? 2 : 1,
  };
}
