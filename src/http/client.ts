import { ClientError, IntegrationError, UnexpectedResponseError } from '../core/errors.ts';
import { createEmitter, type Emitter, within } from '../observability/emitter.ts';
import type { CallEvent } from '../observability/events.ts';
import { ignoreErrors } from '../observability/ignore-errors.ts';
import { withOwner } from '../core/option-checks.ts';
import { parseJson } from '../stores/ports/json.ts';
import { fieldOf, isZodSchema, type Reader, ShapeError, type StandardSchema } from '../core/schema.ts';
import { thrownAt } from '../observability/thrown-at.ts';
import { nextTurn, sleep } from '../core/timers.ts';
import { adoptTransport } from './adopt-transport.ts';
import { callLog, createCallLog, withLog } from './call-log.ts';
import { deadlineIn, holdDeadline } from './deadline.ts';
import { defaultsOf, type HttpClientOptions } from './client-options.ts';
import { callEvent, completeCallError } from './end-of-call.ts';
import { createKyTransport } from './ky-transport.ts';
import { createMissingEndpoints } from './missing-endpoints.ts';
import { authenticate } from './middleware/authenticate.ts';
import type { HttpClient, Operation, RequestOptions, WarmUp, WarmUpOptions } from './operation.ts';
import { keepAnswer } from './open-keys.ts';
import { isKnown, type OwnCode, runOwn } from './own-code.ts';
import { joinUrl, prepareRequest, type RequestDefaults } from './prepare-request.ts';
import { compose, type HttpRequest, type HttpResponse, type Transport } from './request.ts';
import { createStackParts, stackOf, statusOf } from './stack.ts';

/**
 * Puts the stack together for one API and one tenant. Two clients share nothing but a rate limiter that both were
 * given. Throws `InvalidArgumentError` for options that cannot work.
 */
export const createHttpClient = (options: HttpClientOptions): HttpClient =>
  withOwner(options.api, () => connect(options));

const connect = (options: HttpClientOptions): HttpClient => {
  const defaults = defaultsOf(options);
  const emitter = createEmitter(options.onEvent, {
    api: options.api,
    tenant: options.tenant,
    redact: options.redact,
  });
  const parts = createStackParts(options, emitter);
  const transport = options.transport
    ? adoptTransport(options.transport)
    : createKyTransport({
        maximumBodyBytes: options.maximumBodyBytes ?? 8 * 1024 * 1024,
        fetch: options.fetch,
        ky: options.ky,
      });
  const missing = createMissingEndpoints((operation) => emitter.emit({ type: 'endpoint-missing', operation }));
  const send = compose(stackOf(options, parts, emitter), transport);

  const readAnswer = createAnswerReader(emitter);
  const settleLate = createLateSettling(emitter, readAnswer);

  const request = async <T>(operation: Operation<T>, call: RequestOptions = {}): Promise<T> => {
    const prepared: HttpRequest = prepareRequest(
      operation,
      call,
      defaults,
      operation.effect === 'payment' ? (end) => void settleLate(operation, call, prepared, end) : undefined,
    );
    if (operation.mayBeMissing && missing.isMissing(operation.operation))
      return readAnswer(operation, prepared, absent);
    const { idempotencyKey } = prepared;
    if (idempotencyKey !== undefined && parts.openKeys.get(idempotencyKey)) callLog(prepared).repeats();
    const span = emitter.startSpan({ type: 'call', operation: prepared.operation });
    try {
      const ask = async (waitMs = 0) => {
        // The stack says what an abort means.
        if (waitMs > 0) await sleep(waitMs, prepared.signal).catch(() => {});
        return within(span, () => send(prepared));
      };
      const response = await (operation.mayBeMissing
        ? missing.answerOf(operation.operation, ask, absent)
        : operation.absentOn404
          ? ask().catch(absentOn404)
          : ask());
      const result = await readAnswer(operation, prepared, response);
      if (emitter.hasListeners()) emitter.emit(callEvent(prepared), span);
      if (call.onResponse) {
        const { status, headers, requestId } = response;
        const { onResponse } = call;
        ignoreErrors(() => onResponse({ status, headers, requestId }));
      }
      return result;
    } catch (error) {
      const finished = completeCallError(prepared, error);
      if (emitter.hasListeners()) emitter.emit(callEvent(prepared, finished), span);
      // Made on the far side of the stack; taken again here, it leads to the line that made the call.
      if (finished instanceof IntegrationError) Error.captureStackTrace?.(finished, request);
      throw finished;
    }
  };

  return {
    request,
    custom: ({ returns, ...operation }, call) =>
      request({ ...operation, isUnread: isUnread(returns), returns: readerOf(operation.operation, returns) }, call),
    keepAnswer: (call, send) => keepAnswer(parts.openKeys, call, send),
    status: () => ({ ...statusOf(parts), maximumDeadlineMs: defaults.maximumDeadlineMs }),
    warmUp: createWarmUp(options, { defaults, transport, emitter }),
    close: async () => {
      parts.circuits?.shutdown();
      if (parts.ownsLimiter) await parts.limiter?.close();
      await parts.searchLimiter?.close();
    },
  };
};

type ReadAnswer = <T>(operation: Operation<T>, request: HttpRequest, response: HttpResponse) => Promise<T>;

/** Parses an answer and reads it as its operation says. Reports fields of another type than expected. */
const createAnswerReader =
  (emitter: Emitter): ReadAnswer =>
  async (operation, { callId }, response) => {
    const { status, headers, text } = response;
    const drift = (fields: readonly string[]) =>
      emitter.emit({ type: 'schema-drift', operation: operation.operation, fields, callId });
    try {
      const json = status === 404 ? undefined : parse[operation.reads ?? 'json'](response);
      // Other phone calls are served between two things that each take some milliseconds.
      if (text.length > longAnswer) await nextTurn();
      if (text.includes('\ufffd') && operation.reads !== 'bytes') drift(['charset']);
      return operation.returns(json, { header: (name) => headers.get(name), drift });
    } catch (error) {
      throw unreadable(operation.operation, response, error);
    }
  };

/** Reports how a payment ended whose caller had gone. */
const createLateSettling =
  (emitter: Emitter, readAnswer: ReadAnswer) =>
  async <T>(
    operation: Operation<T>,
    { callId, onSettled }: RequestOptions,
    request: HttpRequest,
    end: Promise<HttpResponse>,
  ): Promise<void> => {
    const settled = { operation: operation.operation, idempotencyKey: request.idempotencyKey };
    const emit = (outcome: CallEvent['outcome']) => emitter.emit({ type: 'settled-late', ...settled, outcome, callId });
    try {
      const result = await readAnswer(operation, request, await end);
      emit('ok');
      ignoreErrors(() => onSettled?.({ ...settled, ok: true, result }));
    } catch (error) {
      const finished = completeCallError(request, error);
      emit(callLog(request).outcome());
      if (finished instanceof IntegrationError)
        ignoreErrors(() => onSettled?.({ ...settled, ok: false, error: finished }));
    }
  };

const parse = {
  json: ({ text }: HttpResponse): unknown => parseJson(text),
  form: ({ text }: HttpResponse): unknown => Object.fromEntries(new URLSearchParams(text)),
  text: ({ text }: HttpResponse): unknown => text,
  bytes: ({ bytes, text }: HttpResponse): unknown => bytes ?? new TextEncoder().encode(text),
};

const longAnswer = 256 * 1024;

const unreadable = (operation: string, { status, requestId }: HttpResponse, error: unknown) => {
  // The message of the application's own schema or function may repeat what it read.
  if (error instanceof UnexpectedResponseError)
    return new UnexpectedResponseError(error.message, { operation, status, requestId, original: error.original });
  const problem = isKnown(error) ? error.message : `the answer could not be read: ${thrownAt(error)}`;
  const original = isKnown(error) ? undefined : error;
  return new UnexpectedResponseError(`${operation}: ${problem}`, { operation, status, requestId, original });
};

const absentOn404 = (error: unknown): HttpResponse => {
  if (error instanceof ClientError && error.status === 404) return absent;
  throw error;
};

const absent: HttpResponse = { status: 404, headers: new Map(), text: '' };

/** zod answers a schema that throws with a promise, as it does an asynchronous one. */
const validateNow = <T>(schema: StandardSchema<T>, json: unknown) => {
  const standard = schema['~standard'];
  const result = standard.validate(json);
  if (result instanceof Promise && isZodSchema(schema)) {
    result.catch(() => {});
    // Throws what its own code threw.
    schema.safeParse(json);
  }
  return result;
};

/** Returns whether the application leaves the answer of a write as it is, or takes none. */
export const isUnread = (returns: unknown): boolean =>
  returns === undefined || (typeof returns === 'function' && returns.length === 0);

/** Lets the application's own schema or function read an answer. */
export const readerOf =
  <T>(operation: string, returns: StandardSchema<T> | ((json: unknown) => T)): Reader<T> =>
  (json) => {
    const own: OwnCode = { name: 'returns', operation };
    if (typeof returns === 'function') return runOwn(own, () => returns(json));
    const result = runOwn(own, () => validateNow(returns, json));
    if (!result.issues) return result.value;
    throw new ShapeError(fieldOf(result.issues[0]?.path), 'is not what the schema of this request says');
  };

interface WarmUpParts {
  readonly defaults: RequestDefaults;
  readonly transport: Transport;
  readonly emitter: Emitter;
}

/**
 * Makes ready what a first request would wait for: name, TCP, TLS and the credential. An `OPTIONS` of the base address,
 * without the credential, opens the connection, and any answer keeps it. After a `HEAD`, Node's fetch would close it.
 * Never rejects. The rate limit and the circuit do not count it.
 */
const createWarmUp =
  ({ api, authenticate: credential, tenant }: HttpClientOptions, { defaults, transport, emitter }: WarmUpParts) =>
  async ({ deadline = defaults.deadlineMs, signal, callId }: WarmUpOptions = {}): Promise<WarmUp> => {
    const request: HttpRequest = {
      operation: `${api}.warmUp`,
      effect: 'read',
      method: 'OPTIONS',
      url: joinUrl(defaults.baseUrl, ''),
      headers: { accept: 'application/json', 'user-agent': defaults.userAgent },
      deadline: typeof deadline === 'number' ? deadlineIn(deadline) : deadline,
      signal: signal ?? new AbortController().signal,
      attempt: 1,
      callId,
    };
    const logged = withLog(request, createCallLog().attemptStarted());
    const readCredential = authenticate(credential, { tenant, emitter });
    try {
      await holdDeadline()(logged, async (within) => {
        const [answer] = await Promise.all([transport(within), readCredential(within, async () => nothing)]);
        return answer;
      });
      return { ready: true };
    } catch (error) {
      if (error instanceof IntegrationError) return { ready: false, error };
      throw error;
    }
  };

const nothing: HttpResponse = { status: 204, headers: new Map(), text: '' };
