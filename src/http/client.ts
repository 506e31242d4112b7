import { ClientError, IntegrationError, UnexpectedResponseError } from '../core/errors.ts';
import { createEmitter, within } from '../observability/emitter.ts';
import type { CallEvent } from '../observability/events.ts';
import { ignoreErrors } from '../observability/ignore-errors.ts';
import { withOwner } from '../core/option-checks.ts';
import { parseJson } from '../stores/ports/json.ts';
import { fieldOf, isZodSchema, type Reader, ShapeError, type StandardSchema } from '../core/schema.ts';
import { thrownAt } from '../observability/thrown-at.ts';
import { nextTurn, sleep } from '../core/timers.ts';
import { adoptTransport } from './adopt-transport.ts';
import { callLog } from './call-log.ts';
import { defaultsOf, type HttpClientOptions } from './client-options.ts';
import { callEvent, completeCallError } from './end-of-call.ts';
import { createKyTransport } from './ky-transport.ts';
import { createMissingEndpoints } from './missing-endpoints.ts';
import type { HttpClient, Operation, RequestOptions } from './operation.ts';
import { keepAnswer } from './open-keys.ts';
import { isKnown, type OwnCode, runOwn } from './own-code.ts';
import { prepareRequest } from './prepare-request.ts';
import { compose, type HttpRequest } from './request.ts';
import type { HttpResponse } from './response.ts';
import { createStackParts, stackOf, statusOf } from './stack.ts';
import { createWarmUp } from './warm-up.ts';

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
  const { api, authenticate: credential, tenant } = options;

  const read = <T>(
    operation: Operation<T>,
    { callId }: HttpRequest,
    { headers, text }: HttpResponse,
    json: unknown,
  ): T => {
    const drift = (fields: readonly string[]) =>
      emitter.emit({ type: 'schema-drift', operation: operation.operation, fields, callId });
    if (text.includes('\ufffd') && operation.reads !== 'bytes') drift(['charset']);
    return operation.returns(json, { header: (name) => headers.get(name), drift });
  };

  const readAnswer = async <T>(operation: Operation<T>, request: HttpRequest, response: HttpResponse): Promise<T> => {
    try {
      const json = response.status === 404 ? undefined : parse[operation.reads ?? 'json'](response);
      // Other phone calls are served between two things that each take some milliseconds.
      if (response.text.length > longAnswer) await nextTurn();
      return read(operation, request, response, json);
    } catch (error) {
      throw unreadable(operation.operation, response, error);
    }
  };

  /** A payment whose caller had gone came to its end. */
  const settleLate = async <T>(
    operation: Operation<T>,
    call: RequestOptions,
    request: HttpRequest,
    end: Promise<HttpResponse>,
  ): Promise<void> => {
    const { idempotencyKey } = request;
    const base = { operation: operation.operation, idempotencyKey };
    const late = (outcome: CallEvent['outcome']) =>
      emitter.emit({
        type: 'settled-late',
        operation: operation.operation,
        outcome,
        idempotencyKey,
        callId: call.callId,
      });
    try {
      const result = await readAnswer(operation, request, await end);
      late('ok');
      ignoreErrors(() => call.onSettled?.({ ...base, ok: true, result }));
    } catch (error) {
      const finished = completeCallError(request, error);
      late(callLog(request).outcome());
      if (finished instanceof IntegrationError)
        ignoreErrors(() => call.onSettled?.({ ...base, ok: false, error: finished }));
    }
  };

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
    warmUp: createWarmUp({ api, defaults, credential, tenant, transport, emitter }),
    close: async () => {
      parts.circuits?.shutdown();
      if (parts.ownsLimiter) await parts.limiter?.close();
      await parts.searchLimiter?.close();
    },
  };
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
