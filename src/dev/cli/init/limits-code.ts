import { type Raw, textIn } from './description.ts';
import { type Code, quote } from './print-code.ts';

/** The direction of a value. What is sent is checked closely; what comes back may be more than its description says. */
export type Direction = 'sent' | 'received';

/** The use of a schema, and the receiver of notes about what isn't expressed. */
export interface Place {
  readonly direction: Direction;
  readonly note: (problem: string) => void;
}

/** A text. */
export const writeText = (schema: Raw, { direction, note }: Place): Code => {
  if (direction === 'received') return 'z.string()';
  const format = formats.get(textIn(schema, 'format')) ?? 'z.string()';
  const calls = limitsOf(schema, { direction, note }, { minLength: 'min', maxLength: 'max' });
  const pattern = textIn(schema, 'pattern');
  if (pattern !== undefined && format === 'z.string()')
    try {
      calls.push(`.regex(${patternCode(pattern)})`);
    } catch {
      note(`the pattern ${pattern} isn't one of JavaScript`);
    }
  return calls.length > 0 ? { head: format, calls } : format;
};

const formats: ReadonlyMap<string | undefined, string> = new Map([
  ['email', 'z.email()'],
  ['uuid', 'z.uuid()'],
  ['uri', 'z.url()'],
  ['url', 'z.url()'],
  ['date', 'z.iso.date()'],
  ['date-time', 'z.iso.datetime({ offset: true })'],
]);

/** Throws for what is no pattern of JavaScript. TypeScript refuses some that are, unless they're made of a text. */
const patternCode = (pattern: string): string => {
  const plain = new RegExp(pattern);
  try {
    const unicode = new RegExp(pattern, 'u');
    return String(/\\[pP]\{|\\u\{/.test(pattern) ? unicode : plain);
  } catch {
    return `new RegExp(${quote(pattern)})`;
  }
};

/** A number whose code begins with `head`. */
export const writeNumber = (schema: Raw, head: string, place: Place): Code => {
  if (place.direction === 'received') return head;
  const isOpen = (bound: string) => schema[bound] === true;
  const calls = limitsOf(schema, place, {
    minimum: isOpen('exclusiveMinimum') ? 'gt' : 'min',
    maximum: isOpen('exclusiveMaximum') ? 'lt' : 'max',
    exclusiveMinimum: 'gt',
    exclusiveMaximum: 'lt',
    multipleOf: 'multipleOf',
  });
  return calls.length > 0 ? { head, calls } : head;
};

/** The methods that check the limits of a schema. An answer outside of them is still good. */
export const limitsOf = (schema: Raw, { direction }: Place, methods: Readonly<Record<string, string>>): string[] =>
  direction === 'received'
    ? []
    : Object.entries(methods).flatMap(([keyword, method]) => {
        const limit = schema[keyword];
        return typeof limit === 'number' && Number.isFinite(limit) ? [`.${method}(${limit})`] : [];
      });
