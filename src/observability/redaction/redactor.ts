import { withoutUndefined } from '../../core/without-undefined.ts';
import { maskCardNumbersInLists, mayHoldCardNumber } from './card-numbers.ts';
import { isPersonalName, maskPersonalData, maskPhonesAndEmails } from './personal-data.ts';
import { isSecretName, maskSecretLooks, maskStackTraces, secretMask } from './secrets.ts';
import { ignoreErrors } from '../ignore-errors.ts';

/** Options that remove more from events than is always removed, before any listener gets them. */
export interface RedactOptions {
  /**
   * Names of fields, in any spelling (`accountNumber` is `account_number`), whose values become `[redacted]`; anywhere in
   * an event, mostly in the bodies of webhooks. Those of secrets and personal data need not be named.
   */
  readonly keys?: readonly string[] | undefined;
  /** Patterns whose matches become `[redacted]`, in every text of an event. */
  readonly patterns?: readonly RegExp[] | undefined;
  /** `false`: phone numbers, e-mail addresses and card numbers are left. Secrets never are. @defaultValue true */
  readonly personalData?: boolean | undefined;
  /** Further secrets of yours, read when an event is emitted. Those of requests and webhooks are known. */
  readonly secrets?: (() => readonly string[]) | undefined;
}

/** Options, or a {@link Redactor} that several share: then a secret that one of them knows leaves through none. */
export type Redact = RedactOptions | Redactor;

/** Takes secrets and personal data out of events. */
export interface Redactor {
  /**
   * Returns the event without them, and without fields that are `undefined`. Equal ids stay equal; only a phone number or
   * an e-mail address in an id is masked.
   */
  redact<Event extends object>(event: Event): Event;
  /** From now on these are masked wherever they appear. */
  hide(secrets: readonly string[]): void;
}

/**
 * Makes a redactor to be given to clients, toolboxes, receivers and outboxes that belong together. The parts of an
 * integration share one without an option.
 *
 * @example
 * const redact = createRedactor({ keys: ['account_number'] });
 * const outbox = createOutbox({ queue, destinations, redact });
 */
export const createRedactor = ({
  keys = [],
  patterns = [],
  personalData = true,
  secrets: ownSecrets,
}: RedactOptions = {}): Redactor => {
  const own = new Set(keys.map(bareName));
  const global = patterns.map((pattern) => new RegExp(pattern, `${pattern.flags.replace('g', '')}g`));
  const known = createKnownSecrets();

  const mask = (text: string, maskPeople: (text: string) => string): string => {
    if (text.length < shortestToMask) return global.length > 0 ? withPatterns(text) : text;
    const bare = maskStackTraces(maskSecretLooks(known.mask(text)));
    return withPatterns(personalData && mayBePersonal(bare) ? maskPeople(bare) : bare);
  };
  const withPatterns = (text: string) =>
    global.reduce((masked, pattern) => masked.replace(pattern, '[redacted]'), text);

  const withoutCards = (value: unknown): unknown =>
    personalData && typeof value === 'object' ? maskCardNumbersInLists(value, isIdOfEvent) : value;

  const maskValue = (value: unknown, name: string, isOfBody: boolean): unknown => {
    if (own.size > 0 && own.has(bareName(name))) return '[redacted]';
    if (isOfBody && value !== null && isSecretName(name)) return '[secret]';
    if (isOfBody && personalData && isShown(value) && isPersonalName(name)) return '[personal]';
    if (typeof value === 'string') return mask(value, ids.has(name) ? maskPhonesAndEmails : maskPersonalData);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => maskValue(item, name, isOfBody));
    return Object.fromEntries(
      Object.entries(withoutUndefined(value)).map(([field, inner]) => [
        mask(field, maskPersonalData),
        maskValue(inner, field, isOfBody || name === 'body'),
      ]),
    );
  };

  return {
    hide: known.add,
    redact: (event) => {
      // If they can't be read now, those of last time are masked.
      if (ownSecrets) ignoreErrors(() => known.own(ownSecrets()));
      const redacted: Record<string, unknown> = {};
      for (const [name, value] of Object.entries(event)) {
        if (value === undefined) continue;
        const isFixed = fixed.has(name) || (typeof value === 'number' && own.size === 0);
        redacted[name] = isFixed ? value : maskValue(withoutCards(value), name, false);
      }
      // A masked value has the type of the value before, except for fields that the application itself masks.
      return redacted as typeof event;
    },
  };
};

/** Fields that hold only known words. */
const fixed: ReadonlySet<string> = new Set(['type', 'at', 'direction', 'outcome', 'waits']);

/** Ids that events share. Card numbers aren't looked for in them, since digits of an id can look so. */
const ids: ReadonlySet<string> = new Set(['callId', 'tenant', 'idempotencyKey', 'requestId', 'eventId', 'toolCallId']);

const isIdOfEvent = (name: string): boolean => ids.has(name);

/** The shortest phone number with its plus, and the shortest secret that is looked for. */
const shortestToMask = 6;

const mayBePersonal = (text: string): boolean => /[@+%]/.test(text) || mayHoldCardNumber(text);

/** The most secrets of requests and webhooks: a client has a few credentials, and a few more while they are rotated. */
const mostSecrets = 16;

const createKnownSecrets = () => {
  /** All that the application named last. */
  let own: readonly string[] = [];
  let latest: readonly string[] = [];
  let last: readonly string[] = [];
  let made: ((text: string) => string) | undefined;

  const add = (secrets: readonly string[]) => {
    const fresh = secrets.filter((secret) => isLookedFor(secret) && !latest.includes(secret) && !own.includes(secret));
    if (fresh.length === 0) return;
    latest = [...latest, ...fresh].slice(-mostSecrets);
    // Made when it is needed: there may be no listener.
    made = undefined;
  };

  return {
    mask: (text: string) => {
      made ??= secretMask([...own, ...latest]);
      return made(text);
    },
    add: (secrets: readonly string[]) => {
      if (secrets === last) return;
      last = secrets;
      add(secrets);
    },
    own: (secrets: readonly string[]) => {
      const named = secrets.filter(isLookedFor);
      if (named.length === own.length && named.every((secret, index) => secret === own[index])) return;
      const before = own;
      own = named;
      made = undefined;
      // What was replaced may still be in use.
      add(before);
    },
  };
};

/** A shorter one is also found in texts that have nothing to do with it. */
const isLookedFor = (secret: string): boolean => secret.length >= shortestToMask;

const bareName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** An object is looked into, and what is masked already says by what. */
const isShown = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && value !== '' && !/^\[\w+\]$/.test(value));
