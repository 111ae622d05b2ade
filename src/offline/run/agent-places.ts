/**
 * The places where runs happen, as many as may run at once, and where the agent sends its spans. A command and a module
 * have their own receiver in each place, so spans need no mark to be distinguished. An agent behind a URL always sends
 * to the same endpoint, so all places share one receiver.
 */
import type { Settings } from '../../config/settings.ts';
import type { AgentPlace } from '../../agent-runner/agent.ts';
import type { AgentTarget } from '../../agent-runner/agent-target.ts';
import { CommandAgent } from '../../agent-runner/command-agent.ts';
import { ModuleAgent } from '../../agent-runner/module-agent.ts';
import { UrlAgent } from '../../agent-runner/url-agent.ts';
import type { ReceiveEvent, RefuseReason } from '../../model/events/receive-events.ts';
import type { RedactionRules } from '../../model/redaction.ts';
import type { Receiver } from '../../receive/otlp-http.ts';
import { startPrivateReceiver } from '../../receive/private-receiver.ts';
import type { RunPlace } from './run-case.ts';
import { SpanRoutes } from './span-routes.ts';

export interface PlacesWanted {
  readonly target: AgentTarget;
  readonly places: number;
  readonly settings: Settings;
  readonly redaction: RedactionRules | undefined;
  /** An agent at a URL: how it is called, and where it sends its spans. */
  readonly headers: { readonly [name: string]: string };
  readonly otlpPort: number;
  readonly cwd: string;
  readonly environment: { readonly [name: string]: string | undefined };
}

const HOST = '127.0.0.1';

export class AgentPlaces {
  readonly places: readonly RunPlace[];
  readonly #receivers: readonly Receiver[];
  readonly #refused: readonly RefuseReason[];

  private constructor(places: readonly RunPlace[], receivers: readonly Receiver[], refused: readonly RefuseReason[]) {
    this.places = places;
    this.#receivers = receivers;
    this.#refused = refused;
  }

  static async open(wanted: PlacesWanted): Promise<AgentPlaces> {
    const receivers: Receiver[] = [];
    const refused: RefuseReason[] = [];
    const onRefused = (reason: RefuseReason) => {
      if (!refused.includes(reason)) refused.push(reason);
    };
    const receive = async (routes: SpanRoutes, port: number) => {
      const receiver = await startReceiver(routes, { port, onRefused, ...wanted });
      receivers.push(receiver);
      return `http://${HOST}:${receiver.port}`;
    };
    try {
      if (wanted.target.kind === 'url') {
        const routes = new SpanRoutes('shared');
        const otlpEndpoint = await receive(routes, wanted.otlpPort);
        const places = numbered(wanted.places).map(() => ({ agent: agentOf(wanted), routes, otlpEndpoint }));
        return new AgentPlaces(places, receivers, refused);
      }
      const places: RunPlace[] = [];
      for (const _ of numbered(wanted.places)) {
        const routes = new SpanRoutes('of one place');
        places.push({ agent: agentOf(wanted), routes, otlpEndpoint: await receive(routes, 0) });
      }
      return new AgentPlaces(places, receivers, refused);
    } catch (error) {
      await Promise.all(receivers.map((receiver) => receiver.stop()));
      throw error;
    }
  }

  /** Why requests of exporters were refused, each reason once. */
  get refused(): readonly RefuseReason[] {
    return this.#refused;
  }

  get routes(): readonly SpanRoutes[] {
    return [...new Set(this.places.map(({ routes }) => routes))];
  }

  /** Ends whatever still runs, then the receivers. */
  async close(): Promise<void> {
    await Promise.all(this.places.map(({ agent }) => agent.stop()));
    await Promise.all(this.#receivers.map((receiver) => receiver.stop()));
  }
}

function agentOf({ target, headers, cwd, environment }: PlacesWanted): AgentPlace {
  switch (target.kind) {
    case 'command':
      return new CommandAgent({ ...target, cwd, environment });
    case 'module':
      return new ModuleAgent({ ...target, cwd, environment });
    case 'url':
      return new UrlAgent({ ...target, headers });
  }
}

function startReceiver(
  sink: SpanRoutes,
  {
    port,
    onRefused,
    settings,
    redaction,
  }: PlacesWanted & { readonly port: number; readonly onRefused: (reason: RefuseReason) => void },
): Promise<Receiver> {
  const { maxBodyBytes, maxInFlightBytes } = settings.receive;
  const onEvent = (event: ReceiveEvent) => {
    if (event.type === 'request-refused') onRefused(event.reason);
  };
  return startPrivateReceiver({ port, maxBodyBytes, maxInFlightBytes, sink, redaction, onEvent });
}

function numbered(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
