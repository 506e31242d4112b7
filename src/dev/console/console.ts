import { randomBytes } from 'node:crypto';
import { InvalidArgumentError } from '../../core/errors.ts';
import { subscribeToContents, subscribeToEvents, type ToolContents } from '../../observability/emitter.ts';
import type { IntegrationEvent } from '../../observability/events.ts';
import { createMetrics } from '../../observability/metrics/create-metrics.ts';
import { assertKnown, checkOptions, flag, type OptionNames } from '../../core/option-checks.ts';
import { ignoreErrors } from '../../observability/ignore-errors.ts';
import { createRedactor, type RedactOptions } from '../../observability/redaction/redactor.ts';
import { admit, type Refused } from './admission.ts';
import { answer, refusal } from './answers.ts';
import { createApi } from './api.ts';
import { createEventStream } from './event-stream.ts';
import { type ConsoleHandler, type Listening, type ListenOptions, listen } from './listen.ts';
import { isPageFile, readPageFile } from './page-files.ts';
import { createRecorder } from './recorder.ts';
import { createSecrets } from './secrets.ts';
import type { ConsoleSources } from './sources.ts';

/** The parts that the console shows, and the actions that it allows. */
export interface ConsoleOptions extends ConsoleSources {
  /** Lets people redrive and discard dead letters. @defaultValue false */
  readonly allowActions?: boolean | undefined;
  /**
   * Shows what the model asked of each tool, and what it read. Secrets, phone numbers and addresses are masked;
   * names and what people said stay. So it can't be used with `NODE_ENV=production`, and `handle` needs the address of the connection.
   * @defaultValue false
   */
  readonly showContents?: boolean | undefined;
  /** The path in a server of your own, such as `/console`. @defaultValue '/' */
  readonly path?: string | undefined;
  /**
   * Phone calls that are kept; beyond it, or beyond 50 million characters of events in all, the one that has been quiet
   * longest is forgotten.
   * @defaultValue 1000
   */
  readonly maximumPhoneCalls?: number | undefined;
  /**
   * Takes more out of everything before it is kept or served. Secrets and personal data always are, also where
   * `personalData: false` leaves them in your own log.
   */
  readonly redact?: RedactOptions | undefined;
  /** Lets it start with `NODE_ENV=production`. It is made for a developer's machine. @defaultValue false */
  readonly allowProduction?: boolean | undefined;
}

/** A local page over what the agent did. It receives the events of the whole process from the moment it is made. */
export interface Console extends AsyncDisposable {
  /**
   * Answers a request, in a server of your own. Give it the address of the connection where you know it: only this
   * machine is answered. The page is opened at its `path` with `?token=`.
   */
  readonly handle: ConsoleHandler;
  /** The secret in the query of its address. Never write it where others read. */
  readonly token: string;
  /** Starts a server of its own on 127.0.0.1, and prints the address that opens it. */
  listen(options?: ListenOptions): Promise<Listening>;
  /** Stops listening, ends all streams and servers, and forgets everything. */
  close(): Promise<void>;
}

/**
 * Makes the console: timelines of phone calls, endpoints, breakers and limits, the outbox, and the tools. For
 * development only: it answers only this machine and only with its token, and keeps everything in memory.
 * Throws `InvalidArgumentError` with `NODE_ENV=production`, and for a path or a number that cannot be.
 *
 * @example
 * const local = createConsole({ integration, outbox, toolboxes: { agent: toolbox }, allowActions: true });
 * await local.listen(); // prints http://127.0.0.1:…/?token=…
 */
export const createConsole = (options: ConsoleOptions = {}): Console => {
  const { allowActions = false, showContents = false, path = '/', maximumPhoneCalls = 1_000 } = options;
  checkOptions(undefined, [
    () => assertKnown(options, optionNames),
    flag(options.allowActions, 'allowActions'),
    flag(options.showContents, 'showContents'),
    flag(options.allowProduction, 'allowProduction'),
  ]);
  assertDevelopment(options);
  if (!(Number.isInteger(maximumPhoneCalls) && maximumPhoneCalls > 0))
    throw new InvalidArgumentError('maximumPhoneCalls', 'must be an integer above 0');
  const base = basePath(path);
  const secrets = createSecrets();
  const boot = randomBytes(6).toString('hex');
  // Always, even if the application shows personal data in its own log.
  const { redact } = createRedactor({ ...options.redact, personalData: true });
  const recorder = createRecorder({ maximumPhoneCalls });
  const metrics = createMetrics();
  const { pageToken } = secrets;
  const api = createApi({ sources: options, recorder, metrics, redact, allowActions, boot, pageToken });
  const closed = new AbortController();
  const servers = new Set<Listening>();
  const contentsOf = new WeakMap<IntegrationEvent, object>();
  // What a listener of a channel throws would end the process.
  const unsubscribe = subscribeToEvents((event) =>
    ignoreErrors(() => {
      metrics.onEvent(event);
      recorder.record(redact({ ...event, ...contentsOf.get(event) }));
    }),
  );
  const unsubscribeContents = showContents
    ? subscribeToContents((event, contents) => void contentsOf.set(event, redact({ body: readable(contents) }).body))
    : () => {};

  const signIn = (): Response => {
    const { name, value } = secrets.cookie;
    const cookie = `${name}=${value}; Path=${base}; HttpOnly; SameSite=Strict`;
    return answer(null, { status: 303, headers: { location: base, 'set-cookie': cookie } });
  };

  /** A person with an old link reads where the new one is; everything else gets the reason as data. */
  const refuse = ({ headers }: Request, { status, reason }: Refused): Response => {
    if (reason !== 'no_token' || !headers.get('accept')?.includes('text/html')) return refusal(status, reason);
    const { text, type } = readPageFile('signed-out.html');
    return answer(text, { status, headers: { 'content-type': type } });
  };

  const serve = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    const { method } = request;
    const name = pathWithin(base, url.pathname);
    if (name === undefined) return refusal(404, 'not_found');
    if (method === 'GET' && isPageFile(name)) {
      const { text, type } = readPageFile(name);
      return answer(text, { headers: { 'content-type': type } });
    }
    if (method === 'GET' && name === 'events') {
      const after = request.headers.get('last-event-id') ?? url.searchParams.get('after') ?? undefined;
      const stream = createEventStream({ recorder, boot, after, signal: closed.signal });
      return answer(stream, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
    }
    const answering = name.startsWith('api/') ? api(method, name.slice('api/'.length), request) : undefined;
    return (await answering) ?? refusal(404, 'not_found');
  };

  const handle: ConsoleHandler = async (request, peer) => {
    const admission = admit(request, secrets, peer?.address ?? (showContents ? 'unknown' : undefined));
    if (admission.type === 'refused') return refuse(request, admission);
    if (admission.type === 'sign-in') return signIn();
    try {
      return await serve(request);
    } catch (error) {
      if (error instanceof InvalidArgumentError && error.field === 'queue') return refusal(409, 'queue_without_admin');
      // The message of what the application's own parts threw may hold anything.
      return refusal(500, 'failed');
    }
  };

  const close = async () => {
    unsubscribe();
    unsubscribeContents();
    closed.abort();
    await Promise.all([...servers].map((server) => server.close()));
    servers.clear();
  };

  return {
    handle,
    token: secrets.token,
    listen: async (listenOptions = {}) => {
      assertKnown(listenOptions, { port: true, print: true });
      const server = await listen(handle, { base, token: secrets.token, ...listenOptions });
      servers.add(server);
      return server;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
};

/** Returns objects, so that fields are masked by their names; a long text ends early. */
const readable = ({ asked, answered }: ToolContents) => ({
  asked: typeof asked === 'string' ? parsed(asked.slice(0, mostChars)) : asked,
  answered: parsed(answered.slice(0, mostChars)),
});

const mostChars = 10_000;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const assertDevelopment = ({ allowProduction = false, showContents = false }: ConsoleOptions): void => {
  if (process.env['NODE_ENV']?.trim().toLowerCase() !== 'production') return;
  if (showContents)
    throw new InvalidArgumentError(
      'showContents',
      'must not be set with NODE_ENV=production: it shows customers’ data',
    );
  if (allowProduction) return;
  throw new InvalidArgumentError(
    'allowProduction',
    'must be true to start the console with NODE_ENV=production: it is made for development',
  );
};

/** With a slash at both ends. */
const basePath = (path: string): string => {
  if (!/^\/[\w.~/-]*$/.test(path) || /\/\/|\.\./.test(path))
    throw new InvalidArgumentError('path', 'must begin with / and hold letters, digits and -_.~ alone');
  return path.endsWith('/') ? path : `${path}/`;
};

/** The path after the base, without a leading slash; `undefined` for a path outside of it. */
const pathWithin = (base: string, pathname: string): string | undefined => {
  if (`${pathname}/` === base) return '';
  return pathname.startsWith(base) ? pathname.slice(base.length) : undefined;
};

const optionNames: OptionNames<ConsoleOptions> = {
  integration: true,
  outbox: true,
  toolboxes: true,
  allowActions: true,
  showContents: true,
  path: true,
  maximumPhoneCalls: true,
  redact: true,
  allowProduction: true,
};
