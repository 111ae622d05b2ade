/** Which tools change something and which only look, in globs: what people say of them, in a suite or in the configuration. */
export interface ToolNames {
  readonly writes?: readonly string[] | undefined;
  readonly reads?: readonly string[] | undefined;
}
