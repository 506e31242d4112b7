/** What the servers for voice platforms have in common: one request in, the tools of one phone call, one answer. */
import { createHash } from 'node:crypto';
import { parseJson } from '../../http/json.ts';
import { ignoreErrors } from '../../observability/ignore-errors.ts';
import type { JsonObject } from '../../ports/json.ts';
import { Refusal, refusalAnswer } from '../../webhooks/answer.ts';
import { readBody } from '../../webhooks/read-body.ts';
import { assertSecret, readSecrets, type Secret } from '../../secret.ts';
import { isOneOf } from '../../signature/secrets.ts';
import { canonicalJson } from '../arguments.ts';
import type { ToolCallContext } from '../context.ts';
import type { Toolbox } from '../toolbox.ts';
import { createCallRunner } from './target.ts';

/** The phone call that a platform's request belongs to. */
export interface PlatformCall {
  /** The platform's own id. */
  readonly callId: string;
  /** The person's number in E.164, where the platform carries a telephone call. */
  readonly phone: string | undefined;
  /** The request's body. */
  readonly body: JsonObject;
}

/** What a server for a voice platform runs. */
export interface PlatformHandlerOptions {
  /**
   * The tools of a phone call. One toolbox for all is bound to the phone call and its number; a
   * function may give tools that know more, such as `startPhoneCall(...).tools`.
   */
  readonly toolbox: Toolbox | ((call: PlatformCall) => Toolbox | Promise<Toolbox>);
  /** Gets what `toolbox` or the function that reads the secret threw. The platform gets status 500 and no text. */
  readonly onError?: (error: unknown) => void;
}

/** Web-standard, with the body unread: a signature covers its bytes. */
type PlatformHandler = (request: Request) => Promise<Response>;

/** How one platform asks and is answered. */
export interface PlatformDialect {
  /** Whether the request comes from the platform. Reads the body only if its bytes are signed: anyone can send a large one. */
  readonly isGenuine: (request: Request, readBytes: () => Promise<Uint8Array>) => Promise<boolean>;
  /** The answer's body; `undefined` for a request that is not understood. */
  readonly answer: (body: JsonObject, request: Request) => Promise<unknown>;
}

/** Never rejects. Refusals look as those of a webhook receiver. */
export const createPlatformHandler = (
  { isGenuine, answer }: PlatformDialect,
  { onError }: Pick<PlatformHandlerOptions, 'onError'>,
): PlatformHandler => {
  const take = async (request: Request): Promise<Response> => {
    let reading: Promise<Uint8Array> | undefined;
    const readBytes = () => (reading ??= readBody(request, bodyLimits));
    if (!(await isGenuine(request, readBytes))) throw new Refusal('unauthorized', 'not_from_the_platform');
    const body = parse(await readBytes());
    const answered = body && (await answer(body, request));
    if (answered === undefined) throw new Refusal('malformed_body', 'not_understood');
    return Response.json(answered);
  };

  return async (request) => {
    if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } });
    try {
      return await take(request);
    } catch (error) {
      if (error instanceof Refusal) return refusalAnswer(error);
      ignoreErrors(() => onError?.(error));
      return refusalAnswer(new Refusal('failed', 'failed'));
    }
  };
};

/** The transcript of a long phone call together with its configuration is far smaller. */
const bodyLimits = { maximumBytes: 4 * 1024 * 1024, timeMs: 10_000 };

/** The tools of the phone call, bound to it. What the application has bound already stays. */
export const toolboxOf = async ({ toolbox }: PlatformHandlerOptions, call: PlatformCall): Promise<Toolbox> => {
  const found = typeof toolbox === 'function' ? await toolbox(call) : toolbox;
  return found.bind(contextOf(call));
};

/** A number that a telephone network transmitted can be forged. */
const contextOf = ({ callId, phone }: PlatformCall): ToolCallContext => ({
  callId,
  caller: phone === undefined ? undefined : { phone, verified: 'caller-id' },
});

/** Platforms also write `anonymous`, SIP addresses and client names in place of a number. */
export const asPhone = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\+[1-9]\d{6,14}$/.test(value) ? value : undefined;

/** A field that is an object; an empty one when it is not. */
export const objectIn = (body: JsonObject, name: string): JsonObject => {
  const value = body[name];
  return isObject(value) ? value : {};
};

export const textIn = (body: JsonObject, name: string): string | undefined => {
  const value = body[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** A platform sends no body for a tool without arguments. */
const parse = (bytes: Uint8Array): JsonObject | undefined => {
  try {
    const json = parseJson(Buffer.from(bytes).toString('utf8')) ?? {};
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
};

/** Parsed JSON that is no scalar and no list. */
const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a text is one of the secrets of this moment. Throws `InvalidArgumentError` for a literal secret. */
export const createSecretCheck = (secret: Secret): ((text: string) => Promise<boolean>) => {
  assertSecret('secret', secret);
  return async (text) => isOneOf(text, await readSecrets('secret', secret));
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
 * A tool-call id for platforms that send none and may send a request twice: the same tool with the same arguments counts as
 * the same tool call, until another write was done or a minute has passed. Only for tools that would do their work twice: a
 * look-up always runs again, and payments are guarded by what they pay.
 */
export const derivedToolCallId = (toolbox: Toolbox, name: string, args: unknown): string | undefined => {
  if (toolbox.find(name)?.idempotent !== false) return undefined;
  return `derived_${createHash('sha256')
    .update(canonicalJson([name, args ?? null]))
    .digest('hex')
    .slice(0, 32)}`;
};
