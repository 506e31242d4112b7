import type { ConnectionOptions } from '../../../http/operation.ts';
import type { Middleware } from '../../../http/request.ts';
import type { IntegrationOptions } from '../../../integration.ts';
import type { IntegrationEvent, VersionWarningEvent } from '../../../observability/events.ts';
import type { ApiName } from '../../testing/index.ts';
import { withoutUndefined } from '../../../core/without-undefined.ts';
import { type Finding, findingsAbout } from './finding.ts';

/** Records what the answers of each API say outside of their bodies. Of a request, only its authorization scheme and address are kept. */
export interface Recorder {
  /** The options with this recorder, and without the application's own listeners: the checks are not its calls. */
  readonly options: IntegrationOptions;
  readonly dated: (api: ApiName) => readonly DatedAnswer[];
  readonly versionWarnings: (api: ApiName) => readonly VersionWarningEvent[];
  /** The fields of an operation's records that the API hides. */
  readonly hidden: (operation: string) => readonly string[];
  /** The words of a 404 to an operation, without what is of the request: a client may take one for an empty list. */
  readonly absent: (operation: string) => string | undefined;
  /** Each request to an API as its authorization scheme and address: `Bearer https://…`. */
  readonly sent: (api: ApiName) => readonly string[];
}

export const recordAnswers = ({ messaging, crm, billing, ...shared }: IntegrationOptions): Recorder => {
  const answers: (DatedAnswer & { readonly api: string })[] = [];
  const events: IntegrationEvent[] = [];
  const absent = new Map<string, string>();
  const sent: { readonly api: string; readonly request: string }[] = [];
  const listen: Middleware = async (request, next) => {
    const sentAt = Date.now();
    const [api = ''] = request.operation.split('.');
    const [scheme = ''] = (request.headers['authorization'] ?? '').split(' ');
    sent.push({ api, request: `${scheme} ${request.url}` });
    const response = await next(request);
    if (response.status === 404) absent.set(request.operation, wordsOf(response.text, request.url));
    const date = response.headers.get('date');
    // What a cache gave is dated earlier.
    const isFresh = !response.headers.has('age');
    if (date !== undefined && isFresh) answers.push({ api, sentAt, receivedAt: Date.now(), date });
    return response;
  };
  const recorded = <Options extends ConnectionOptions>(options: Options): Options => ({
    ...options,
    middleware: { ...options.middleware, perAttempt: [...(options.middleware?.perAttempt ?? []), listen] },
    onEvent: (event: IntegrationEvent) => void events.push(event),
  });

  return {
    options: withoutUndefined({
      ...shared,
      messaging: messaging && recorded(messaging),
      crm: crm && recorded(crm),
      billing: billing && recorded(billing),
    }),
    dated: (wanted) => answers.filter(({ api }) => api === wanted),
    versionWarnings: (api) =>
      events.flatMap((event) => (event.type === 'version-warning' && event.api === api ? [event] : [])),
    hidden: (operation) =>
      events.flatMap((event) => (event.type === 'schema-drift' && event.operation === operation ? event.fields : [])),
    absent: (operation) => absent.get(operation),
    sent: (wanted) => sent.flatMap(({ api, request }) => (api === wanted ? [request] : [])),
  };
};

/** Some APIs repeat the path that they don't know, with its query or without, and all number their answers. */
const wordsOf = (text: string, url: string): string => {
  const last = (url.split('/').at(-1) ?? '').replaceAll(/[^\w-]/g, '.');
  const path = new RegExp(`[^\\s"'<>]*${last}[^\\s"'<>]*`, 'g');
  return (last === '' ? text : text.replaceAll(path, '')).replaceAll(/[\w-]*\d[\w-]*/g, '');
};

/** The times of a request and its answer by this machine, and the answer's `Date`. */
interface DatedAnswer {
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly date: string;
}

/** Returns how far this machine's clock is ahead, in milliseconds; `undefined` if no answer shows it. */
export const clockSkewMs = (answers: readonly DatedAnswer[]): number | undefined => {
  const skews = answers.flatMap(({ sentAt, receivedAt, date }) => {
    // The header has only whole seconds: half a second is the likeliest rest.
    const there = Date.parse(date) + 500;
    return Number.isNaN(there) ? [] : [(sentAt + receivedAt) / 2 - there];
  });
  return skews.toSorted((a, b) => a - b)[Math.floor(skews.length / 2)];
};

/** Returns a finding about a difference of the clocks. */
export const clockFinding = (about: string, skewMs: number): Finding => {
  const { ok, warning, problem } = findingsAbout(about);
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  const message = `this machine's clock is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the API's`;
  const fix = 'set the clock, such as by NTP';
  if (Math.abs(skewMs) >= problemAtMs)
    return problem('clock', `${message}: signed assertions and webhook signatures will be refused`, fix);
  if (Math.abs(skewMs) >= warningAtMs) return warning('clock', message, fix);
  return ok('clock', "your clock and the API's agree");
};

const warningAtMs = 5_000;

/** Assertions live for minutes, and a server that allows for no difference refuses one from the future. */
const problemAtMs = 60_000;
