/** Settings that suites are loaded with, wherever that is done. */
import type { Settings } from '../config/settings.ts';
import type { KnownExporter } from '../model/exporters.ts';
import type { ToolNames } from '../model/tool-names.ts';

type LoadingSettings = Pick<Settings, 'judging' | 'conversation' | 'tools' | 'exporters'>;

export interface SuiteLoading {
  /** Names of the judges that are configured. */
  readonly judges: readonly string[];
  readonly handOverTools: readonly string[];
  readonly exporters: readonly KnownExporter[];
  /** Tools as the configuration describes them. */
  readonly tools: ToolNames | undefined;
}

export function suiteLoading({ judging, conversation, tools, exporters }: LoadingSettings): SuiteLoading {
  const judges = judging.judges.map(({ name }) => name);
  return { judges, handOverTools: conversation.handOverTools, exporters: exporters.known, tools };
}
