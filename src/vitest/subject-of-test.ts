/**
 * Subject of assertions: a captured conversation or a recorded file. It is scored with the configuration of the folder
 * that the tests run in (`assay.yaml`, if there is one), by the engine of `assay score`.
 */
import path from 'node:path';
import { knowing } from '../assemble/build-conversation.ts';
import { isMissingSecret } from '../config/secrets.ts';
import { loadSettings, type Settings } from '../config/settings.ts';
import type { Conversation } from '../model/conversation.ts';
import type { Evaluation } from '../model/evaluation.ts';
import type { Json } from '../model/json.ts';
import { formatMistakes, type Mistake } from '../model/mistake.ts';
import { scoreRecorded } from '../offline/score-recording.ts';
import type { RecordedBatch } from '../engine/recorded/recorded-batch.ts';
import { readRecording, redactRecorded } from '../offline/recording.ts';
import { checkedTruth } from '../engine/truth-files.ts';
import { understandRecorded } from '../engine/recorded/understand-recording.ts';
import { suiteLoading } from '../engine/suite-loading.ts';
import { builtinPacks, loadSuites } from '../score/load-suites.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';
import type { CapturedConversation } from './conversation-of.ts';

const BUILTIN_SUITES = path.resolve(import.meta.dirname, '../../suites');
const NAMED_MAX = 5;

export interface SubjectOptions {
  /** Which conversation, where there are several. */
  readonly id?: string;
  /** Ground truth, as criteria read it; replaces the one that the conversation was captured with. */
  readonly truth?: Json;
}

/** A file of recorded spans, as `assay score` reads it, or what `conversationOf` gave. */
export type Subject = string | CapturedConversation;

export class SubjectOfTest {
  readonly settings: Settings;
  readonly #subject: Subject;
  readonly #options: SubjectOptions;

  constructor(subject: Subject, options: SubjectOptions) {
    this.#subject = subject;
    this.#options = options;
    const { settings, mistakes } = loadSettings({ flags: {}, env: process.env, cwd: process.cwd() });
    // Nothing is opened or sent: nobody's keys are needed.
    refuse(mistakes.filter((mistake) => !isMissingSecret(mistake)));
    this.settings = settings;
  }

  /** By name or file: of the configured suites, of the built-in ones, or a file. */
  async suites(reference: string): Promise<readonly CompiledSuite[]> {
    const { settings } = this;
    const isFile = /[./\\]/.test(reference);
    const load = (references: readonly string[], baseDir: string) =>
      loadSuites(references, { baseDir, builtinDir: BUILTIN_SUITES, ...suiteLoading(settings) });
    if (!isFile && !(await builtinPacks(BUILTIN_SUITES)).includes(reference)) {
      const named = (await this.configuredSuites()).filter(({ name }) => name === reference);
      if (named.length > 0) return named;
    }
    const { suites, mistakes } = await load([reference], process.cwd());
    refuse(mistakes);
    return suites;
  }

  async configuredSuites(): Promise<readonly CompiledSuite[]> {
    const { settings } = this;
    const { suites, mistakes } = await loadSuites(settings.suites, {
      baseDir: settings.baseDir,
      builtinDir: BUILTIN_SUITES,
      ...suiteLoading(settings),
    });
    refuse(mistakes);
    return suites;
  }

  async evaluations(suites: readonly CompiledSuite[]): Promise<readonly Evaluation[]> {
    const truth = this.#truth();
    const { evaluations } = await scoreRecorded({
      batches: this.#batches(),
      suites,
      settings: this.settings,
      ...(truth !== undefined && { truthOf: () => truth }),
    });
    return evaluations.filter(({ conversationId }) => this.#isMeant(conversationId));
  }

  async conversations(): Promise<readonly Conversation[]> {
    const { settings } = this;
    const { conversations } = await understandRecorded(redactRecorded(this.#batches(), settings), {
      conversationKeys: settings.conversation.idKeys,
    });
    const found = conversations.filter(({ id }) => this.#isMeant(id));
    if (found.length === 0) throw new Error(this.#notThere(conversations));
    const written = checkedTruth(settings.truth);
    const truth = this.#truth();
    return found.map((conversation) =>
      knowing(conversation, [...(written?.find(conversation) ?? []), ...(truth === undefined ? [] : [truth])]),
    );
  }

  async oneConversation(): Promise<Conversation> {
    const [only, ...others] = await this.conversations();
    if (only !== undefined && others.length === 0) return only;
    const ids = [only, ...others].flatMap((one) => (one === undefined ? [] : [one.id])).slice(0, NAMED_MAX);
    throw new Error(`there are ${others.length + 1} conversations: say which by \`id\`, such as ${ids.join(', ')}`);
  }

  #isMeant(id: string): boolean {
    const { id: wanted } = this.#options;
    return wanted === undefined || id === wanted || id === `trace:${wanted}`;
  }

  #truth(): Json | undefined {
    return this.#options.truth ?? (typeof this.#subject === 'string' ? undefined : this.#subject.truth);
  }

  #batches(): AsyncIterable<RecordedBatch> | Iterable<RecordedBatch> {
    const subject = this.#subject;
    return typeof subject === 'string' ? readRecording(path.resolve(subject)) : subject.batches;
  }

  #notThere(there: readonly Conversation[]): string {
    const { id } = this.#options;
    if (there.length === 0)
      return 'nothing of an agent was found in the spans: `assay inspect` shows what is understood';
    const ids = there.slice(0, NAMED_MAX).map((one) => one.id);
    return `there is no conversation ${JSON.stringify(id)} in the spans; there are ${ids.join(', ')}`;
  }
}

function refuse(mistakes: readonly Mistake[]): void {
  if (mistakes.length > 0) throw new Error(formatMistakes(mistakes));
}
