/** The table of short answers (`answers.txt`), as rows. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Language, LANGUAGES } from '../../src/language/languages.ts';

const CODES: Readonly<Record<Language, string>> = {
  English: 'en',
  German: 'de',
  Spanish: 'es',
  French: 'fr',
  Portuguese: 'pt',
  Japanese: 'ja',
  Chinese: 'zh',
};

export interface AnswerRow {
  readonly language: Language;
  /** Letters as the head of the file explains them. */
  readonly reads: string;
  readonly isException: boolean;
  readonly text: string;
}

export function answerRows(): readonly AnswerRow[] {
  const lines = readFileSync(path.join(import.meta.dirname, 'answers.txt'), 'utf8').split('\n');
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [code = '', reads = '', text = ''] = line.split(' | ');
      const language = LANGUAGES.find((one) => CODES[one] === code);
      if (language === undefined || text === '' || !/^[-btcar]+!?$/.test(reads)) throw new Error(`no row: ${line}`);
      return {
        language,
        reads: reads.replace('!', ''),
        isException: reads.endsWith('!'),
        text,
      };
    });
}
