import { InvalidArgumentError } from '../core/errors.ts';
import type { Credential } from '../http/credential.ts';
import type { HttpDialect } from '../http/dialect.ts';
import { assertHeaderName, assertHeaderValue } from '../http/request.ts';
import { circuitNames } from '../http/client-options.ts';
import type { CircuitOptions, Limit } from '../http/operation.ts';
import { assertKnown, oneOf, type OptionNames } from '../core/option-checks.ts';
import type { Json } from '../stores/ports/json.ts';
import type { RateLimiter } from '../stores/ports/rate-limiter.ts';
import { assertScheme, type SignatureScheme } from '../signature/scheme.ts';
import { assertSecret, type Secret } from '../core/secret.ts';
import type { AddressGuard } from './address-guard.ts';

/** The contents of a delivery. */
export interface Delivery {
  /** The idempotency key of the publication, the same for all destinations and attempts. */
  readonly id: string;
  readonly event: string;
  readonly version: number;
  /** The time of publishing, ISO 8601. */
  readonly publishedAt: string;
  readonly payload: Json;
}

/** Options for signing deliveries, so that the receiver knows their sender. */
export interface Signing {
  /**
   * Read before each attempt: a function, or a list of them with the newest secret first. During a rotation, give the old
   * one as well: a scheme with room for several signatures carries one of each.
   */
  readonly secrets: Secret;
  /** One scheme, or several side by side. @defaultValue `xSignature`, the default API's */
  readonly scheme?: SignatureScheme | readonly SignatureScheme[] | undefined;
}

/** An address that events are delivered to, and its options. */
export interface Destination {
  /** Stays the same for ever: what waits, and what is dead, is found by it. */
  readonly name: string;
  /**
   * https; `{version}` is replaced by the version's number. Plain http only inside `allowNetworks`.
   * A process that publishes only (`deliver: false`) may leave it out.
   */
  readonly url?: string | undefined;
  /** The version of its events that it understands; of all, or by the event's name. */
  readonly version: number | Readonly<Record<string, number>>;
  /** The names of the events that it gets. @defaultValue all; with versions by name, those that are named */
  readonly events?: readonly string[] | undefined;
  /** @defaultValue 'POST' */
  readonly method?: 'POST' | 'PUT' | 'PATCH' | 'GET' | undefined;
  /** A header that carries the version's number. @defaultValue none */
  readonly versionHeader?: string | undefined;
  /** Sent with every delivery. Not for secrets: `authenticate` and `signing` read theirs for each attempt. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Not for a GET: a signature covers the body. @defaultValue deliveries are not signed */
  readonly signing?: Signing | undefined;
  /** After a 401 it is asked for another credential, with which the delivery is tried again later. */
  readonly authenticate?: Credential | undefined;
  /** Reads the destination's refusals, if a status alone doesn't say it. @defaultValue by the status */
  readonly dialect?: HttpDialect | undefined;
  /**
   * Writes the body when the event is published. A GET carries its fields as query, lists and objects as JSON.
   * @defaultValue `{ id, type, version, timestamp, data }`
   */
  readonly body?: ((delivery: Delivery) => Json) | undefined;

  /** Deliveries at once. @defaultValue 4 */
  readonly concurrency?: number | undefined;
  /** A limit of its own, or a limiter that is shared. @defaultValue none */
  readonly rateLimit?: Limit | RateLimiter | undefined;
  /** @defaultValue opens at half of at least 10 attempts failed within 10 s, for 5 s */
  readonly circuit?: CircuitOptions | false | undefined;
  /** One attempt, its answer included. @defaultValue 10000 */
  readonly attemptTimeoutMs?: number | undefined;
  /**
   * A destination that has failed for so long without a success in between is disabled: its messages wait.
   * Counted by the process that delivers. @defaultValue 5 days
   */
  readonly disableAfterMs?: number | undefined;
}

/** The group of a destination's messages within the queue, which may hold other things too. */
export const groupOf = (destination: string): string => `outbox:${destination}`;

/** The version of an event that a destination gets; `undefined` when it does not get the event. */
export const wantedVersion = ({ version, events }: Destination, event: string): number | undefined => {
  if (events && !events.includes(event)) return undefined;
  if (typeof version === 'number') return version;
  return Object.hasOwn(version, event) ? version[event] : undefined;
};

/** Throws `InvalidArgumentError` for a destination that cannot work or is not safe. */
export const checkDestinations = (
  destinations: readonly Destination[],
  { guard, delivers }: { readonly guard: AddressGuard; readonly delivers: boolean },
): void => {
  const names = new Set<string>();
  for (const destination of destinations) {
    const { name } = destination;
    if (typeof name !== 'string' || !/^[\w.-]{1,100}$/.test(name))
      throw new InvalidArgumentError('destination.name', 'must be letters, digits, dots, dashes and underscores');
    if (names.has(name)) throw new InvalidArgumentError('destination.name', `must be unique, and ${name} is not`);
    names.add(name);
    if (destination.url !== undefined) checkUrl(destination, destination.url, guard);
    else if (delivers) throw refused(name, 'url', 'must be given, an absolute https URL, unless deliver is false');
    checkDestination(destination);
  }
};

const refused = (name: string, field: string, problem: string) =>
  new InvalidArgumentError(`destination ${name}: ${field}`, problem);

const checkUrl = ({ name }: Destination, text: string, guard: AddressGuard): void => {
  const url = parseTarget(text);
  if (typeof url === 'string') throw refused(name, 'url', url);
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const isPlain = url.protocol === 'http:';
  if (isPlain && hostname !== 'localhost' && !guard.isOwn(hostname))
    throw refused(name, 'url', 'must be an https URL; http is for addresses within allowNetworks');
};

const destinationNames: OptionNames<Destination> = {
  name: true,
  url: true,
  version: true,
  events: true,
  method: true,
  versionHeader: true,
  headers: true,
  signing: true,
  authenticate: true,
  dialect: true,
  body: true,
  concurrency: true,
  rateLimit: true,
  circuit: true,
  attemptTimeoutMs: true,
  disableAfterMs: true,
};

const checkDestination = (destination: Destination): void => {
  const { name, headers = {}, versionHeader, events, version, method = 'POST', signing } = destination;
  const refuse = (field: string, problem: string): never => {
    throw refused(name, field, problem);
  };
  assertKnown(destination, destinationNames, `destination ${name}`);
  assertKnown(signing, { secrets: true, scheme: true }, `destination ${name}.signing`);
  if (signing) assertSecret(`destination ${name}: signing.secrets`, signing.secrets);
  for (const scheme of [signing?.scheme ?? []].flat()) assertScheme(scheme);
  assertKnown(destination.circuit, circuitNames, `destination ${name}.circuit`);
  const { rateLimit } = destination;
  if (rateLimit !== undefined && typeof rateLimit !== 'object')
    return refuse('rateLimit', 'must be { limit, perMs } or a rate limiter');
  oneOf(method, `destination ${name}: method`, ['POST', 'PUT', 'PATCH', 'GET'])();
  if (signing && method === 'GET')
    return refuse('signing', 'must be left out for a GET: a signature covers the body, and a GET has none');
  const versions = typeof version === 'number' ? [version] : Object.values(version ?? {});
  if (versions.length === 0 || !versions.every((each) => Number.isInteger(each) && each > 0))
    return refuse('version', 'must be a whole number above 0, or one for each event');
  if (events?.length === 0) return refuse('events', 'must name one at least, or be left out');
  const unversioned = events?.find((event) => wantedVersion(destination, event) === undefined);
  if (unversioned !== undefined) return refuse('events', `has no version of ${unversioned}, which would never be sent`);
  for (const [header, value] of Object.entries(headers)) {
    assertHeaderName(header);
    assertHeaderValue(`destination ${name}: headers.${header}`, value);
  }
  if (versionHeader !== undefined) assertHeaderName(versionHeader);
  const { concurrency = 1, attemptTimeoutMs = 1, disableAfterMs = 1 } = destination;
  if (!Number.isInteger(concurrency) || concurrency < 1) return refuse('concurrency', 'must be a whole number above 0');
  if (!(attemptTimeoutMs > 0 && attemptTimeoutMs <= 60_000))
    return refuse('attemptTimeoutMs', 'must be above 0 and at most 60000');
  if (!(disableAfterMs > 0)) return refuse('disableAfterMs', 'must be above 0');
};

/** The address, or what is wrong with it; the address itself is not repeated, since it may hold a secret. */
const parseTarget = (text: string): URL | string => {
  const url = typeof text === 'string' ? URL.parse(text.replaceAll('{version}', '1')) : null;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return 'must be an absolute https URL';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (text.includes('#')) return 'must not contain a fragment';
  return url;
};

/** The address of one version. */
export const urlFor = ({ url = '' }: Destination, version: number): string =>
  url.replaceAll('{version}', String(version));
