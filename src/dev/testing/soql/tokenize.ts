/** A word, a literal or a sign of a query. */
export type Token =
  | { readonly kind: 'word' | 'number' | 'date' | 'symbol'; readonly text: string }
  | {
      readonly kind: 'string';
      readonly text: string;
      readonly value: string;
      /** The same text as LIKE reads it: the source of a regular expression. */
      readonly pattern: string;
    };

/** The query is not of the language. */
export class MalformedQueryError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MalformedQueryError';
  }
}

/** Splits a query; a text in quotes becomes one token, with its escapes resolved. */
export const tokenize = (text: string): readonly Token[] => {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at);
    const space = /^\s+/.exec(rest);
    if (space) {
      at += space[0].length;
      continue;
    }
    const token = rest.startsWith("'") ? quoted(rest) : plain(rest);
    if (!token) throw new MalformedQueryError(`unexpected character at position ${at}`);
    tokens.push(token);
    at += token.text.length;
  }
  return tokens;
};

const patterns = [
  ['date', /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?(?![\w-])/],
  ['number', /^-?\d+(?:\.\d+)?(?![\w.])/],
  ['word', /^[A-Za-z][\w.]*/],
  ['symbol', /^(?:!=|<=|>=|[=<>(),])/],
] as const;

const plain = (rest: string): Token | undefined => {
  for (const [kind, pattern] of patterns) {
    const match = pattern.exec(rest);
    if (match) return { kind, text: match[0] };
  }
  return undefined;
};

const escapes: Readonly<Record<string, string>> = {
  "'": "'",
  '"': '"',
  '\\': '\\',
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  '%': '%',
  _: '_',
};

const wildcards: Readonly<Record<string, string>> = { '%': '[^]*', _: '[^]' };

const inPattern = (character: string) => character.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

const quoted = (rest: string): Token => {
  let value = '';
  let pattern = '';
  for (let at = 1; at < rest.length; at += 1) {
    const character = rest[at] ?? '';
    if (character === "'") return { kind: 'string', text: rest.slice(0, at + 1), value, pattern };
    if (character === '\n' || character === '\r') throw new MalformedQueryError('a line break inside a string');
    if (character !== '\\') {
      value += character;
      pattern += wildcards[character] ?? inPattern(character);
      continue;
    }
    at += 1;
    const unicode = /^u([0-9a-fA-F]{4})/.exec(rest.slice(at));
    const escaped = unicode ? String.fromCharCode(Number.parseInt(unicode[1] ?? '', 16)) : escapes[rest[at] ?? ''];
    if (escaped === undefined) throw new MalformedQueryError('an unknown escape inside a string');
    value += escaped;
    pattern += inPattern(escaped);
    if (unicode) at += 4;
  }
  throw new MalformedQueryError('a string that does not end');
};
