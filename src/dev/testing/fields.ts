/** The type of a field of a request. */
export type FieldType =
  | 'text'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'email'
  | 'phone'
  | 'attributes'
  | 'object'
  | 'list'
  | 'scalar';

/** The fields of one request body or query. */
export interface Fields {
  readonly required?: Readonly<Record<string, FieldType>>;
  /** May also be `null`, which clears them. */
  readonly optional?: Readonly<Record<string, FieldType>>;
  /** Other fields are refused unless this lets them pass. */
  readonly others?: (name: string) => boolean;
}

/** The first thing wrong with a body. */
export interface FieldProblem {
  readonly kind: 'missing' | 'type' | 'unknown';
  readonly field: string;
  /** Words that follow the field's name. */
  readonly problem: string;
}

/** Checks a body against its fields: missing ones first, then unknown ones, then types. */
export const firstProblem = (
  { required = {}, optional = {}, others = () => false }: Fields,
  body: Readonly<Record<string, unknown>>,
): FieldProblem | undefined => {
  for (const field of Object.keys(required)) {
    if (body[field] === undefined || body[field] === null || body[field] === '') {
      return { kind: 'missing', field, problem: 'is required' };
    }
  }
  for (const [field, value] of Object.entries(body)) {
    // A body may name anything, `constructor` too.
    const type = Object.hasOwn(required, field)
      ? required[field]
      : Object.hasOwn(optional, field)
        ? optional[field]
        : undefined;
    if (type === undefined) {
      if (others(field)) continue;
      return { kind: 'unknown', field, problem: 'is not a field of this request' };
    }
    if (value === null && Object.hasOwn(optional, field)) continue;
    if (!checks[type].is(value)) return { kind: 'type', field, problem: `must be ${checks[type].words}` };
  }
  return undefined;
};

const isText = (value: unknown): value is string => typeof value === 'string';
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isScalar = (value: unknown): boolean =>
  isText(value) || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));

const checks: Readonly<Record<FieldType, { words: string; is: (value: unknown) => boolean }>> = {
  text: { words: 'a string', is: isText },
  number: { words: 'a number', is: (value) => typeof value === 'number' && Number.isFinite(value) },
  integer: { words: 'an integer', is: (value) => Number.isSafeInteger(value) },
  boolean: { words: 'true or false', is: (value) => typeof value === 'boolean' },
  date: { words: 'a date, YYYY-MM-DD', is: (value) => isText(value) && isDate(value) },
  datetime: { words: 'a date and time with its zone', is: (value) => isText(value) && isDateTime(value) },
  email: { words: 'an e-mail address', is: (value) => isText(value) && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) },
  phone: { words: 'a phone number in E.164 format', is: (value) => isText(value) && /^\+[1-9]\d{6,14}$/.test(value) },
  attributes: {
    words: 'an object of strings, numbers and booleans',
    is: (value) => isObject(value) && Object.values(value).every((entry) => entry === null || isScalar(entry)),
  },
  object: { words: 'an object', is: isObject },
  list: { words: 'a list', is: Array.isArray },
  scalar: { words: 'a string, a number or a boolean', is: isScalar },
};

const isDateTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)$/.test(text) && !Number.isNaN(Date.parse(text));

const isDate = (text: string): boolean => {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
};
