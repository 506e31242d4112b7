import { systemClock } from '../clock.ts';
import { isClientError, isIntegrationError, UnexpectedResponseError } from '../errors.ts';
import type { CallEvent } from '../observability/events.ts';
import { quietly } from '../observability/quietly.ts';
import { createTeller } from '../observability/teller.ts';
import { within } from '../observability/tracer.ts';
import { ShapeError } from '../schema.ts';
import { adoptTransport } from './adopt-transport.ts';
import { defaultsOf, type HttpClientOptions } from './client-options.ts';
import { compose } from './compose.ts';
import { callEvent, completeCallError } from './end-of-call.ts';
import { JsonError, parseJson } from './json.ts';
import { createKyTransport } from './ky-transport.ts';
import type { HttpClient, Operation, RequestOptions } from './operation.ts';
import { prepareRequest } from './prepare-request.ts';
import { outcomeOf } from './progress.ts';
import { readerOf } from './reader-of.ts';
import type { HttpRequest } from './request.ts';
import type { HttpResponse } from './response.ts';
import { createStackParts, stackOf, statusOf } from './stack.ts';
import { createWarmUp } from './warm-up.ts';

/**
 * Puts the stack together for one API and one tenant. Two clients share nothing but a rate limiter that both were
 * given. Throws `InvalidArgumentError` for options that cannot work.
 */
export const createHttpClient = (options: HttpClientOptions): HttpClient => {
  const { clock = systemClock } = options;
  const defaults = defaultsOf(options, clock);
  const tell = createTeller(options.onEvent, {
    api: options.api,
    tenant: options.tenant,
    clock,
    redact: options.redact,
  });
  const parts = createStackParts(options, clock, tell);
  const transport = options.transport
    ? adoptTransport(options.transport)
    : createKyTransport({
        maximumBodyBytes: options.maximumBodyBytes ?? 8 * 1024 * 1024,
        fetch: options.fetch,
        ky: options.ky,
      });
  const send = compose(stackOf(options, parts, clock, tell), transport);
  const { api, authenticate: credential, tenant } = options;

  const read = <T>(operation: Operation<T>, { plan: { callId } }: HttpRequest, json: unknown): T =>
    operation.returns(json, {
      drift: (fields) =>
        tell({
          type: 'schema-drift',
          operation: operation.operation,
          fields,
          ...(callId === undefined ? {} : { callId }),
        }),
    });

  const readAnswer = async <T>(operation: Operation<T>, request: HttpRequest, response: HttpResponse): Promise<T> => {
    try {
      const json = response.status === 404 ? undefined : parseJson(response.text);
      // Other phone calls are served between two things that each take some milliseconds.
      if (response.text.length > longAnswer) await nextTurn();
      return read(operation, request, json);
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
      tell({
        type: 'settled-late',
        operation: operation.operation,
        outcome,
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        ...(call.callId === undefined ? {} : { callId: call.callId }),
      });
    try {
      const result = await readAnswer(operation, request, await end);
      late('ok');
      quietly(() => call.onSettled?.({ ...base, ok: true, result }));
    } catch (error) {
      const finished = completeCallError(request, error, clock);
      late(outcomeOf(request.progress));
      if (isIntegrationError(finished)) quietly(() => call.onSettled?.({ ...base, ok: false, error: finished }));
    }
  };

  const request = async <T>(operation: Operation<T>, call: RequestOptions = {}): Promise<T> => {
    const prepared: HttpRequest = prepareRequest(
      operation,
      call,
      defaults,
      operation.effect === 'payment' ? (end) => void settleLate(operation, call, prepared, end) : undefined,
    );
    const span = tell.begin({ type: 'call', operation: prepared.operation });
    try {
      const answer = within(span, () => send(prepared));
      const response = await (operation.absentOn404 ? answer.catch(absentOn404) : answer);
      const result = await readAnswer(operation, prepared, response);
      if (tell.isHeard('call')) tell(callEvent(prepared, clock), span);
      if (call.onResponse) {
        const { status, headers, requestId } = response;
        const { onResponse } = call;
        quietly(() => onResponse({ status, headers, ...(requestId === undefined ? {} : { requestId }) }));
      }
      return result;
    } catch (error) {
      const finished = completeCallError(prepared, error, clock);
      if (tell.isHeard('call')) tell(callEvent(prepared, clock, finished), span);
      // Made on the far side of the stack; taken again here, it leads to the line that made the call.
      if (isIntegrationError(finished)) Error.captureStackTrace?.(finished, request);
      throw finished;
    }
  };

  return {
    request,
    custom: ({ returns, ...operation }, call) => request({ ...operation, returns: readerOf(returns) }, call),
    status: () => statusOf(parts),
    warmUp: createWarmUp({ api, defaults, credential, tenant, transport, tell, clock }),
    close: async () => {
      parts.circuits?.shutdown();
      if (parts.ownsLimiter) await parts.limiter?.close();
    },
  };
};

const longAnswer = 256 * 1024;

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

const unreadable = (operation: string, { status, requestId }: HttpResponse, error: unknown) => {
  // The message of the application's own schema or function may repeat what it read.
  const isOurs = error instanceof ShapeError || error instanceof JsonError;
  const problem = isOurs ? error.message : 'the answer could not be read';
  return new UnexpectedResponseError(`${operation}: ${problem}`, { operation, status, requestId });
};

const absentOn404 = (error: unknown): HttpResponse => {
  if (isClientError(error) && error.status === 404) return absent;
  throw error;
};

const absent: HttpResponse = { status: 404, headers: new Map(), text: '' };
