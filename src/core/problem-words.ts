/** The problems that zod finds, in words that follow the field's name. */

/** A problem that a schema finds, as far as it's read here. */
export interface Issue {
  readonly code?: string | undefined;
  readonly message: string;
  readonly path?: readonly PropertyKey[];
  readonly keys?: readonly string[];
  readonly expected?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly inclusive?: boolean;
  readonly origin?: string;
  readonly values?: readonly unknown[];
  readonly divisor?: unknown;
}

/** Returns what is wrong with a text that has another format. */
export const formatWords: Readonly<Record<string, string>> = {
  e164: 'must be a phone number in E.164 format, such as +14155550100',
  email: 'must be an e-mail address',
  date: 'must be a date, YYYY-MM-DD',
  datetime: 'must be a date and time, such as 2026-01-31T14:00:00Z',
  time: 'must be a time, such as 14:00:00',
  duration: 'must be an ISO 8601 duration, such as PT30M',
  uuid: 'must be a UUID',
  url: 'must be a URL, such as https://example.com',
};

/** Returns whether a message is what zod says where the developer gave none: `Invalid UUID`, `Too small: expected …`. */
export const isDefaultMessage = (issue: { readonly code?: unknown; readonly message: string }): boolean =>
  typeof issue.code === 'string' && issue.code !== 'custom' && defaultMessage.test(issue.message);

const defaultMessage =
  /^(?:Invalid input(?:: expected .+)?|Invalid (?:option|string|number): .+|Invalid [\w.-]+(?: [\w.-]+){0,2}|Too (?:small|big): expected .+|Unrecognized keys?: .+)$/;

const partsOf = { string: 'characters', array: 'entries' } as const;

/** Returns what is wrong, as words that follow the field's name. */
export const wordsFor = (raw: object): string => {
  const issue = raw as Issue;
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${article(issue.expected === 'int' ? 'integer' : (issue.expected ?? 'value'))}`;
    case 'invalid_format':
      return formatProblem(issue);
    case 'too_small':
      if (issue.origin === 'string' && Number(issue.minimum) <= 1) return 'must not be empty';
      return issue.origin === 'string' || issue.origin === 'array'
        ? `must have at least ${issue.minimum} ${partsOf[issue.origin]}`
        : `must be ${issue.inclusive ? 'at least' : 'greater than'} ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'string' || issue.origin === 'array'
        ? `must have at most ${issue.maximum} ${partsOf[issue.origin]}`
        : `must be ${issue.inclusive ? 'at most' : 'below'} ${issue.maximum}`;
    case 'unrecognized_keys':
      return 'is not a field that is known here';
    case 'invalid_value':
      return `must be one of ${(issue.values ?? []).map(String).join(', ')}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'custom':
      return issue.message;
    default:
      return 'is not valid';
  }
};

const formatProblem = ({ format = 'value', pattern }: Issue): string => {
  if (format === 'regex') {
    const isShort = pattern !== undefined && pattern.length <= longestPattern;
    return isShort ? `must match ${pattern}` : 'has the wrong format';
  }
  return formatWords[format] ?? `must be a valid ${format.replaceAll('_', ' ')}`;
};

const longestPattern = 60;

const article = (noun: string): string => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
