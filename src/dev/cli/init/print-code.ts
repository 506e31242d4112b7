/** Code that is printed on one line where it fits, else over several, as formatters write it. */
export type Code = string | Block | Chain;

/** Something in brackets. */
export interface Block {
  readonly open: string;
  readonly items: readonly Item[];
  readonly close: string;
  /** Over several lines also where it fits on one. */
  readonly isExpanded?: boolean;
}

/** One entry of a {@link Block}. */
export interface Item {
  /** Lines above it, without their slashes. */
  readonly comments?: readonly string[];
  /** The name of a property. */
  readonly key?: string;
  readonly code: Code;
}

/** Calls on something: `z.string()` and `['.min(1)', '.optional()']`. */
export interface Chain {
  readonly head: string | Block;
  readonly calls: readonly string[];
}

/** A line is at most this long. */
const width = 100;

/** Prints code that begins after `prefix`, within a block that is indented by `indent`. */
export const printCode = (code: Code, { indent = '', prefix = '', end = ',' } = {}): string => {
  const flat = flatten(code);
  const fits = flat !== undefined && `${indent}${prefix}${flat}${end}`.length <= width;
  if (fits) return `${prefix}${flat}`;
  if (typeof code === 'string') return `${prefix}${code}`;
  return 'head' in code ? printChain(code, indent, prefix) : printBlock(code, indent, prefix);
};

const printBlock = ({ open, items, close }: Block, indent: string, prefix: string): string => {
  const inner = `${indent}  `;
  const lines = items.flatMap(({ comments = [], key, code }) => [
    ...comments.map((line) => `${inner}${line}`),
    `${inner}${printCode(code, { indent: inner, prefix: prefixOf(key, code) })},`,
  ]);
  return `${prefix}${open}\n${lines.join('\n')}${lines.length > 0 ? '\n' : ''}${indent}${close}`;
};

/** Each call gets a line. */
const printChain = ({ head, calls }: Chain, indent: string, prefix: string): string => {
  const inner = `${indent}  `;
  const open = typeof head === 'string' ? head : head.open;
  const dot = open.lastIndexOf('.', open.indexOf('('));
  const object = open.includes('(') ? open.slice(0, dot) : open;
  const first = open.slice(object.length);
  const block = typeof head === 'string' ? first : printCode({ ...head, open: first }, { indent: inner, end: '' });
  const [only = ''] = calls;
  if (block === '' && calls.length === 1) return `${prefix}${object}${printCall(only, indent, width)}`;
  const lines = [
    ...(block === '' ? [] : [block]),
    ...calls.map((call, index) => printCall(call, inner, index === calls.length - 1 ? 1 : 0)),
  ];
  return [`${prefix}${object}`, ...lines.map((line) => `${inner}${line}`)].join('\n');
};

/** A long text gets a line of its own. */
const printCall = (call: string, indent: string, behind: number): string => {
  const [, name, argument] = /^(\.\w+\()(.*)\)$/.exec(call) ?? [];
  const fits = argument === undefined || argument === '' || indent.length + call.length + behind <= width;
  return fits ? call : `${name}\n${indent}  ${argument},\n${indent})`;
};

/** The same with a call behind it. */
export const withCalls = (code: Code, ...calls: readonly string[]): Chain =>
  typeof code === 'object' && 'head' in code
    ? { head: code.head, calls: [...code.calls, ...calls] }
    : { head: code, calls };

/** On one line; `undefined` for what has to be on several, or is too long for one. */
const flatten = (code: Code): string | undefined => {
  if (typeof code === 'string') return code;
  if ('head' in code) {
    const head = flatten(code.head);
    return head && `${head}${code.calls.join('')}`;
  }
  const { open, items, close, isExpanded } = code;
  if (isExpanded) return undefined;
  let inside = '';
  for (const { comments = [], key, code: inner } of items) {
    const flat = comments.length > 0 || inside.length > width ? undefined : flatten(inner);
    if (flat === undefined) return undefined;
    inside += `${inside === '' ? '' : ', '}${prefixOf(key, inner)}${flat}`;
  }
  return open.endsWith('{') && inside !== '' ? `${open} ${inside} ${close}` : `${open}${inside}${close}`;
};

/** An object over the fields of an endpoint and the like. */
export const objectCode = (
  fields: Readonly<Record<string, Code | undefined>>,
  options: Partial<Block> = {},
): Block => ({
  open: '{',
  items: Object.entries(fields).flatMap(([key, code]) => (code === undefined ? [] : [{ key, code }])),
  close: '}',
  ...options,
});

/** A text in quotes. What's in it can't end it, and nothing in it is invisible or turns the text around it. */
export const quote = (text: string): string => {
  const json = JSON.stringify(text).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (found) =>
    found.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
  if (text.includes("'")) return json.includes('\\"') ? `'${withoutQuotes(json).replaceAll("'", "\\'")}'` : json;
  return `'${withoutQuotes(json)}'`;
};

const withoutQuotes = (json: string): string => json.slice(1, -1).replaceAll('\\"', '"');

/** A line for people. What's in it can't end the comment. */
export const comment = (text: string): string => `// ${oneLine(text)}`;

/** Returns a comment that editors show for a name. */
export const docComment = (text: string): string => `/** ${oneLine(text).replaceAll('*/', '*\\/')} */`;

/** The first sentence of a text, on one line, and at most this long. */
export const firstSentence = (text: string, most = 80): string => {
  const line = oneLine(text.slice(0, longestRead)).replaceAll(/<[^<>]*>|[`*_]{1,2}(?=\S)|(?<=\S)[`*]{1,2}/g, '');
  const sentence = /^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line;
  return sentence.length <= most ? sentence : `${sentence.slice(0, most - 1).replace(/\s+\S*$/, '')}…`;
};

/** The part of a text in which its first sentence is looked for. */
const longestRead = 2_000;

const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();

/** `{ order }` needs no second word. */
const prefixOf = (key: string | undefined, code: Code): string =>
  key === undefined || (key === code && isIdentifier(key)) ? '' : `${propertyName(key)}: `;

const propertyName = (name: string): string => (isIdentifier(name) ? name : quote(name));

const isIdentifier = (name: string): boolean => /^[A-Za-z_$][\w$]*$/.test(name);
