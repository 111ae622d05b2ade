/**
 * SQL of whatever dialect, cut into statements of tokens: enough to tell what a statement does, and no more. Comments
 * are gone, texts in quotes are one token that says nothing, names in quotes are names. One pass, linear in the text.
 *
 * Comments that begin with an exclamation mark, which MySQL executes, are read. A backslash before a quote is a
 * character like any other, as the standard has it, unless the text would have no end then: some dialects escape by it.
 */
export interface SqlToken {
  /** Word in lower case. '' for a text in quotes. */
  readonly word: string;
  readonly is: 'word' | 'name' | 'text' | 'mark';
}

export type SqlStatement = readonly SqlToken[];

export function sqlStatements(sql: string): readonly SqlStatement[] {
  const standard = new Tokenizer(sql, { backslashEscapes: false });
  const statements = standard.statements();
  return standard.endedInText && sql.includes("\\'")
    ? new Tokenizer(sql, { backslashEscapes: true }).statements()
    : statements;
}

const WORD_START = /[\p{L}_]/u;
const WORD_PART = /[\p{L}\p{N}_$]/u;
const SPACE = /\s/;
const NUMBER_PART = /[\p{N}.]/u;

/** `/*!50700`: how long. */
function versionEnd(sql: string, at: number): number {
  return /^\/\*!\d{0,6}/.exec(sql.slice(at, at + 9))?.[0].length ?? 3;
}

class Tokenizer {
  readonly #sql: string;
  readonly #backslashEscapes: boolean;
  #at = 0;
  endedInText = false;

  constructor(sql: string, { backslashEscapes }: { readonly backslashEscapes: boolean }) {
    this.#sql = sql;
    this.#backslashEscapes = backslashEscapes;
  }

  statements(): readonly SqlStatement[] {
    const statements: SqlToken[][] = [[]];
    while (this.#at < this.#sql.length) {
      const token = this.#next();
      if (token === undefined) continue;
      if (token.is === 'mark' && token.word === ';') statements.push([]);
      else statements.at(-1)?.push(token);
    }
    return statements.filter((tokens) => tokens.length > 0);
  }

  #next(): SqlToken | undefined {
    const sql = this.#sql;
    const char = sql[this.#at] ?? '';
    const two = sql.slice(this.#at, this.#at + 2);
    if (SPACE.test(char)) return this.#skip(1);
    if (two === '--' || (char === '#' && this.#isAtLineStart())) return this.#skipTo('\n', 0);
    if (two === '/*') return sql[this.#at + 2] === '!' ? this.#skip(versionEnd(sql, this.#at)) : this.#skipTo('*/', 2);
    if (two === '*/') return this.#skip(2);
    if (char === "'") return this.#quoted("'", 'text', this.#backslashEscapes || this.#isEscapeText());
    if (char === '"') return this.#quoted('"', 'name', this.#backslashEscapes);
    if (char === '`') return this.#quoted('`', 'name', false);
    if (char === '[') return this.#quoted(']', 'name', false);
    if (char === '$') return this.#dollarQuoted() ?? this.#mark();
    if (WORD_START.test(char)) return this.#run(WORD_PART, 'word');
    if (NUMBER_PART.test(char) && char !== '.') return this.#run(NUMBER_PART, 'mark');
    return this.#mark();
  }

  #skip(length: number): undefined {
    this.#at += length;
    return undefined;
  }

  #skipTo(end: string, from: number): undefined {
    const found = this.#sql.indexOf(end, this.#at + from);
    this.#at = found < 0 ? this.#sql.length : found + end.length;
    return undefined;
  }

  #isAtLineStart(): boolean {
    const before = this.#sql[this.#at - 1];
    return before === undefined || before === '\n' || before === ';';
  }

  /** `E'…'`. */
  #isEscapeText(): boolean {
    const [mark = '', before = ' '] = [this.#sql[this.#at - 1], this.#sql[this.#at - 2]];
    return (mark === 'E' || mark === 'e') && !WORD_PART.test(before);
  }

  #quoted(end: string, is: 'text' | 'name', backslashEscapes: boolean): SqlToken {
    const sql = this.#sql;
    const from = this.#at + 1;
    let at = from;
    for (; at < sql.length; at++) {
      if (backslashEscapes && sql[at] === '\\') at += 1;
      else if (sql[at] === end) {
        if (sql[at + 1] !== end) break;
        at += 1;
      }
    }
    if (at >= sql.length) this.endedInText = true;
    this.#at = at + 1;
    return { word: is === 'text' ? '' : sql.slice(from, at).toLowerCase(), is };
  }

  /** `$$ … $$` and `$tag$ … $tag$`. */
  #dollarQuoted(): SqlToken | undefined {
    const tag = /^\$[A-Za-z_]{0,30}\$/.exec(this.#sql.slice(this.#at, this.#at + 32))?.[0];
    if (tag === undefined) return undefined;
    this.#at += tag.length;
    this.#skipTo(tag, 0);
    return { word: '', is: 'text' };
  }

  #run(part: RegExp, is: 'word' | 'mark'): SqlToken {
    const from = this.#at;
    while (this.#at < this.#sql.length && part.test(this.#sql[this.#at] ?? '')) this.#at += 1;
    return { word: this.#sql.slice(from, this.#at).toLowerCase(), is };
  }

  #mark(): SqlToken {
    const word = this.#sql[this.#at] ?? '';
    this.#at += 1;
    return { word, is: 'mark' };
  }
}
