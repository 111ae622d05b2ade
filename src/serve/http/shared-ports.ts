/** The ports of a process that has several projects. The default project opens them, and the others are behind them. */
import { SharedPort } from '../../listen/shared-port.ts';
import type { GrpcReceiver } from '../../receive/otlp-grpc.ts';
import type { HttpReceiver } from '../../receive/otlp-http.ts';
import type { Routed } from '../../report/http/router.ts';

export interface SharedPorts {
  readonly http: SharedPort<Routed>;
  readonly otlpHttp: SharedPort<HttpReceiver>;
  readonly otlpGrpc: SharedPort<GrpcReceiver>;
}

export function sharedPorts(projects: readonly string[]): SharedPorts {
  return {
    http: new SharedPort(projects),
    otlpHttp: new SharedPort(projects),
    otlpGrpc: new SharedPort(projects),
  };
}
