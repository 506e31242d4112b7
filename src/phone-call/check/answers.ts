import type { ConnectionOptions } from '../../http/operation.ts';
import type { Middleware } from '../../http/request.ts';
import type { IntegrationEvent, VersionWarningEvent } from '../../observability/events.ts';
import type { DatedAnswer } from './clock.ts';

/** Records what the answers of an API say outside of their bodies. Of a request, only its authorization scheme and address are kept. */
export interface Answers<Options extends ConnectionOptions> {
  /**
   * The options of a client for the checks. It has a circuit breaker, retries and limits of its own, and no listener of the
   * application: the checks are not its calls.
   */
  readonly options: Options;
  readonly dated: () => readonly DatedAnswer[];
  readonly versionWarnings: () => readonly VersionWarningEvent[];
  /** The fields of an operation's records that the API hides. */
  readonly hidden: (operation: string) => readonly string[];
  /**
   * Returns the words of the last 404 since the last call of this function, without those of its request. A client may
   * take a 404 for an empty list.
   */
  readonly absent: () => string | undefined;
  /** Each request as its authorization scheme and address: `Bearer https://…`. */
  readonly sent: () => readonly string[];
}

export const recordAnswers = <Options extends ConnectionOptions>(options: Options): Answers<Options> => {
  const answers: DatedAnswer[] = [];
  const events: IntegrationEvent[] = [];
  let absent: string | undefined;
  const sent: string[] = [];
  const listen: Middleware = async (request, next) => {
    const sentAt = Date.now();
    const [scheme = ''] = (request.headers['authorization'] ?? '').split(' ');
    sent.push(`${scheme} ${request.url}`);
    const response = await next(request);
    if (response.status === 404) absent = wordsOf(response.text, request.url);
    const date = response.headers.get('date');
    // What a cache gave is dated earlier.
    const isFresh = !response.headers.has('age');
    if (date !== undefined && isFresh) answers.push({ sentAt, receivedAt: Date.now(), date });
    return response;
  };

  return {
    options: {
      ...options,
      // A second one is for the next credential, or for a connection that was lost.
      attempts: 2,
      circuit: false,
      retryBudget: undefined,
      quota: undefined,
      middleware: { ...options.middleware, perAttempt: [...(options.middleware?.perAttempt ?? []), listen] },
      onEvent: (event: IntegrationEvent) => void events.push(event),
    },
    dated: () => answers,
    versionWarnings: () => events.filter((event) => event.type === 'version-warning'),
    hidden: (operation) =>
      events.flatMap((event) => (event.type === 'schema-drift' && event.operation === operation ? event.fields : [])),
    absent: () => {
      const words = absent;
      absent = undefined;
      return words;
    },
    sent: () => sent,
  };
};

/** Some APIs repeat the path that they don't know, with its query or without, and all number their answers. */
const wordsOf = (answer: string, url: string): string => {
  const text = answer.slice(0, 2_000);
  const last = (url.split('/').at(-1) ?? '').replaceAll(/[^\w-]/g, '.');
  const path = new RegExp(`[^\\s"'<>]*${last}[^\\s"'<>]*`, 'g');
  return (last === '' ? text : text.replaceAll(path, '')).replaceAll(/[\w-]*\d[\w-]*/g, '');
};
