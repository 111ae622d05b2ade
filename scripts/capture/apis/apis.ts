/** The providers over which a scenario can be played. */
import { anthropic } from './anthropic.ts';
import type { ModelApi } from './api.ts';
import { gemini } from './gemini.ts';
import { ollama } from './ollama.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';

export const APIS: readonly ModelApi[] = [openaiChat, openaiResponses, anthropic, gemini, ollama];
