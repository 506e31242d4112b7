/** The common part of the servers for voice platforms: one request in, the tools of one phone call, one answer. */
import type { CallerAnswer } from '../says-no.ts';
import { hash } from 'node:crypto';
import { InvalidArgumentError } from '../../core/errors.ts';
import { isCallId, notCallId } from '../../phone-call/steps/call-id.ts';
import { readTransmittedNumber, unreadNumber } from '../../phone-call/steps/caller-number.ts';
import { fieldsOf, isJsonObject, type JsonObject, objectsIn, parseJson } from '../../stores/ports/json.ts';
import { Refusal, refusalAnswer } from '../../webhooks/answer.ts';
import { assertAuthentication, authenticate } from '../../webhooks/authentication/authenticate.ts';
import type { Authentication } from '../../webhooks/authentication/method.ts';
import { readBody } from '../../webhooks/read-body.ts';
import { canonicalJson } from '../arguments.ts';
import type { ToolResult } from '../context.ts';
import { createReport } from '../on-error.ts';
import type { ParametersSchema } from '../tool.ts';
import type { Toolbox } from '../toolbox.ts';
import { toolboxOf, type WithTools } from '../with-tools.ts';
import { createCallRunner } from './target.ts';

/** The phone call that a platform's request belongs to. */
export interface PlatformCall {
  /** The platform's own id. */
  readonly callId: string;
  /**
   * The person's number, where the platform carries a telephone call and says it: in E.164, or as it came where its country
   * isn't certain. `startPhoneCall` takes both.
   */
  readonly phone: string | undefined;
  /** The request's body. */
  readonly body: JsonObject;
}

/** The tools that a server for a voice platform runs. */
export interface PlatformHandlerOptions {
  /**
   * The tools of a phone call. One toolbox for all is bound to the phone call and its number; a
   * function may return what knows more, such as `startPhoneCall(…)` or `calls.of(…)`.
   */
  readonly toolbox: WithTools | ((call: PlatformCall) => WithTools | Promise<WithTools>);
  /**
   * Gets what `toolbox` or the function that reads the secret threw; the platform gets status 500 and no text. Gets an
   * `InvalidArgumentError` for a placeholder in place of the call's id too; the platform gets 400.
   * @defaultValue one process warning for each cause
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A request of a platform, as `read` gets it. */
export interface PlatformRequest {
  /** The JSON of the body; empty if there was none. */
  readonly body: JsonObject;
  readonly headers: Headers;
  readonly url: URL;
}

/** The phone call of a request, and its tool calls. Values may be as they came: they're checked. */
export interface PlatformToolCalls {
  /** The platform's id of the phone call. Without one, or with a placeholder, the request is refused with 400. */
  readonly callId: unknown;
  /** The other party's number as the platform says it, if a telephone network carried it. */
  readonly phone?: unknown;
  /** A name of the caller's last words, another one once they have spoken again. @defaultValue not known */
  readonly turn?: string | undefined;
  readonly answers?: readonly CallerAnswer[] | undefined;
  readonly calls: readonly PlatformToolCall[];
}

/** One tool that the model calls. */
export interface PlatformToolCall {
  readonly name: unknown;
  /** An object, or JSON text. */
  readonly args?: unknown;
  /** @defaultValue the same arguments within a phone call are the same call, for a tool that isn't idempotent */
  readonly id?: string | undefined;
}

/** The end of one of the calls. */
export interface PlatformToolAnswer<Call extends PlatformToolCall = PlatformToolCall> {
  readonly call: Call;
  readonly result: ToolResult;
}

/** The requests and answers of one platform. */
export interface PlatformDialect<Call extends PlatformToolCall = PlatformToolCall> {
  /** The proof that a request comes from the platform: `sharedSecret`, `hmac` or another method of `./webhooks`. All must agree. */
  readonly authentication: readonly Authentication[];
  /** Finds the phone call and the tool calls. `[]` as `calls` is acknowledged; `undefined` is refused with 400. */
  readonly read: (
    request: PlatformRequest,
  ) => (Omit<PlatformToolCalls, 'calls'> & { readonly calls: readonly Call[] }) | undefined;
  /** For platforms that send numbers as text: the arguments, by the tool's parameters. @defaultValue as they are */
  readonly readArguments?: ((args: unknown, parameters: ParametersSchema) => unknown) | undefined;
  /** The body of the answer, which is JSON. The answers are in the order of the calls. */
  readonly reply: (answers: readonly PlatformToolAnswer<Call>[]) => unknown;
}

/**
 * Takes web-standard requests, with the body unread: a signature covers its bytes. Never rejects. Refusals look as those
 * of a webhook receiver.
 */
export const createPlatformHandler = <Call extends PlatformToolCall>(
  { authentication, read, readArguments, reply }: PlatformDialect<Call>,
  options: PlatformHandlerOptions,
): ((request: Request) => Promise<Response>) =>
  createPlatformServer(authentication, options, async ({ request: { headers, signal }, url, body, batch, open }) => {
    if (batch) throw notUnderstood();
    const asked = read({ body, headers, url });
    if (!asked) throw notUnderstood();
    const { callId, phone, turn, answers, calls } = asked;
    if (calls.length === 0) return Response.json({});
    if (!calls.every((call) => isJsonObject(call) && typeof call.name === 'string')) throw notUnderstood();
    const toolbox = await open(callId, phone);
    const run = async (call: Call) => {
      const name = String(call.name);
      const parameters = toolbox.find(name)?.parameters;
      const args = readArguments && parameters ? readArguments(call.args, parameters) : call.args;
      const toolCallId = call.id ?? derivedToolCallId(toolbox, name, args);
      return { call, result: await toolbox.run(name, args, { signal, toolCallId, turn, answers }) };
    };
    return Response.json(reply(await Promise.all(calls.map(run))));
  });

/** A request that proved where it comes from. */
interface AuthenticatedRequest extends Pick<PlatformRequest, 'body' | 'url'> {
  /** Its body was read. */
  readonly request: Request;
  /** The body, where it's a list of objects; `body` is empty then. */
  readonly batch: readonly JsonObject[] | undefined;
  /** The tools of a phone call, bound to it and to its number. Without an id of the phone call, the request gets 400. */
  readonly open: (callId: unknown, phone: unknown) => Promise<Toolbox>;
}

/** Authenticates a request and reads its body before `take` gets it. */
export const createPlatformServer = (
  authentication: readonly Authentication[],
  { toolbox, onError }: PlatformHandlerOptions,
  take: (delivery: AuthenticatedRequest) => Promise<Response>,
): ((request: Request) => Promise<Response>) => {
  const methods = assertAuthentication(authentication, { informational: true });
  if (typeof toolbox !== 'function') toolboxOf(toolbox, 'toolbox');
  const report = createReport(onError);

  const admit = async (request: Request): Promise<AuthenticatedRequest> => {
    const url = new URL(request.url);
    const delivery = { url, headers: request.headers, peer: {}, tenant: undefined };
    const { bytes } = await authenticate(methods, delivery, () => readBody(request, bodyLimits));
    const json = parse(bytes);
    const objects = objectsIn(json);
    const batch = Array.isArray(json) && json.length > 0 && objects.length === json.length ? objects : undefined;
    if (!isJsonObject(json) && !batch) throw notUnderstood();
    const body = fieldsOf(json);
    const open = async (callId: unknown, number: unknown) => {
      if (!isCallId(callId)) {
        report(notCallId(), { part: 'phone-call' });
        throw notUnderstood();
      }
      const reading = readTransmittedNumber(number);
      const certain = reading.is === 'number' ? reading.phone : undefined;
      // A function starts the phone call, which reads the number and reports it.
      const unread = typeof toolbox === 'function' ? undefined : unreadNumber(reading, callId, howToRead);
      if (unread) report(unread, { part: 'phone-call', callId });
      const phone = reading.is === 'withheld' ? undefined : (certain ?? String(number));
      const found = toolboxOf(
        typeof toolbox === 'function' ? await toolbox({ callId, phone, body }) : toolbox,
        'toolbox',
      );
      // A number that a telephone network transmitted can be forged. What the application has bound already wins.
      return found.bind({
        callId,
        caller: certain === undefined ? undefined : { phone: certain, verified: 'caller-id' },
      });
    };
    return { request, url, body, batch, open };
  };

  return async (request) => {
    if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } });
    try {
      return await take(await admit(request));
    } catch (error) {
      if (error instanceof Refusal) return refusalAnswer(error);
      report(error, { part: 'phone-call' });
      return refusalAnswer(new Refusal('failed', 'failed'));
    }
  };
};

const howToRead =
  'give toolbox as a function that starts the phone call, and createIntegration readPhone: ' +
  "phoneReader({ defaultCountry: 'US' })";

const notUnderstood = () => new Refusal('malformed_body', 'not_understood');

/** The transcript of a long phone call together with its configuration is far smaller. */
const bodyLimits = { maximumBytes: 4 * 1024 * 1024, timeMs: 10_000 };

/**
 * The number at the other end of the line: of who called, or of who was called. None where a platform says another
 * direction than these: it might be your own.
 */
export const otherParty = ({
  direction,
  caller,
  called,
}: {
  readonly direction: unknown;
  readonly caller: unknown;
  readonly called: unknown;
}): unknown => {
  if (direction === undefined || direction === null || direction === '') return caller;
  if (typeof direction !== 'string') return undefined;
  return /^outbound/i.test(direction) ? called : /^inbound/i.test(direction) ? caller : undefined;
};

/** Throws `InvalidArgumentError` for a time that a platform doesn't wait. */
export const assertSeconds = (seconds: number, [least, most]: readonly [number, number], platform: string): void => {
  if (!(seconds >= least && seconds <= most))
    throw new InvalidArgumentError('timeoutSeconds', `must be ${least} to ${most}: ${platform} waits no other time`);
};

/** A field that is an object; an empty one when it is not. */
export const objectIn = (body: JsonObject, name: string): JsonObject => {
  const value = body[name];
  return isJsonObject(value) ? value : {};
};

export const textIn = (body: JsonObject, name: string): string | undefined => {
  const value = body[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** A platform sends no body for a tool without arguments. */
const parse = (bytes: Uint8Array): unknown => {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) ?? {};
  } catch {
    return undefined;
  }
};

/** Runs the calls of platforms that send a name and arguments, and no id. */
export const namedCallRunner = createCallRunner({
  readCall: ({ name, args }: { readonly name: string; readonly args?: unknown }, toolbox) => ({
    name,
    args,
    toolCallId: derivedToolCallId(toolbox, name, args),
  }),
  toResult: (_call, { value }) => value,
});

/**
 * A tool-call id for platforms that send none and may send a request twice. The same tool with the same arguments counts
 * as the same tool call, until another write was done or a minute has passed. Only for tools that would do their work
 * twice: a look-up always runs again, and payments are guarded by what they pay.
 */
export const derivedToolCallId = (toolbox: Toolbox, name: string, args: unknown): string | undefined => {
  if (toolbox.find(name)?.idempotent !== false) return undefined;
  return `derived_${hash('sha256', canonicalJson([name, args ?? null]), 'hex').slice(0, 32)}`;
};
