/** Messages between the main thread and the one that speaks MCP. */
import type { ApiQuestion } from '../../mcp/asked-api.ts';

export interface McpStart {
  readonly version: string;
}

export interface SentMcpRequest {
  readonly body: Uint8Array;
  /** Headers that MCP looks at. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

export interface McpReply {
  readonly status: number;
  readonly type: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** A question that a tool asks the API, in the name of the request's client, and its answer. */
export type WantedOfApi = ApiQuestion;
export type GivenByApi =
  | { readonly status: number; readonly body: Uint8Array<ArrayBuffer> }
  | { readonly failed: string };
