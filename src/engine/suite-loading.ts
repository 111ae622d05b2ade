/** Settings that suites are loaded with, wherever that is done. */
import type { Settings } from '../config/settings.ts';
import type { ToolNames } from '../model/tool-names.ts';

type LoadingSettings = Pick<Settings, 'judging' | 'conversation' | 'tools'>;

export interface SuiteLoading {
  /** Names of the judges that are configured. */
  readonly judges: readonly string[];
  readonly handOverTools: readonly string[];
  /** Tools as the configuration describes them. */
  readonly tools: ToolNames | undefined;
}

export function suiteLoading({ judging, conversation, tools }: LoadingSettings): SuiteLoading {
  return { judges: judging.judges.map(({ name }) => name), handOverTools: conversation.handOverTools, tools };
}
