/** What the servers for voice platforms have in common: one request in, the tools of one phone call, one answer. */
import { quietly } from '../../observability/quietly.ts';
import type { JsonObject } from '../../ports/json.ts';
import type { ToolCallContext } from '../context.ts';
import type { Toolbox } from '../toolbox.ts';

/** The phone call that a platform's request belongs to. */
export interface PlatformCall {
  /** The platform's own id. */
  readonly callId: string;
  /** The person's number in E.164, where the platform carries a telephone call. */
  readonly phone: string | undefined;
  /** The request's body. */
  readonly body: JsonObject;
}

export interface PlatformHandlerOptions {
  /**
   * The tools of a phone call. One toolbox for all is told which phone call it is and what number it comes from; a
   * function may give tools that know more, such as `startPhoneCall(...).tools`.
   */
  readonly toolbox: Toolbox | ((call: PlatformCall) => Toolbox | Promise<Toolbox>);
  /** Hears what `toolbox` or the function that reads the secret threw. The platform gets status 500 and no text. */
  readonly onError?: (error: unknown) => void;
}

/** Web-standard: for node:http, Express, Fastify and Hono there are adapters, or `Request` is built by hand. */
export type PlatformHandler = (request: Request) => Promise<Response>;

/** How one platform asks and is answered. */
export interface PlatformDialect {
  /** Whether the request comes from the platform. Asked before the body is parsed. */
  readonly isGenuine: (request: Request, bytes: Uint8Array) => Promise<boolean>;
  /** The answer's body; `undefined` for a request that is not understood. */
  readonly answer: (body: JsonObject, request: Request) => Promise<unknown>;
}

/** Never rejects. */
export const createPlatformHandler =
  ({ isGenuine, answer }: PlatformDialect, { onError }: Pick<PlatformHandlerOptions, 'onError'>): PlatformHandler =>
  async (request) => {
    try {
      if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } });
      const bytes = await readBytes(request);
      if (!bytes) return new Response(null, { status: 413 });
      if (!(await isGenuine(request, bytes))) return new Response(null, { status: 401 });
      const body = parse(bytes.toString('utf8'));
      const answered = body && (await answer(body, request));
      return answered === undefined ? new Response(null, { status: 400 }) : Response.json(answered);
    } catch (error) {
      quietly(() => onError?.(error));
      return new Response(null, { status: 500 });
    }
  };

/** The tools of the phone call, bound to it. What the application has bound already stays. */
export const toolboxOf = async ({ toolbox }: PlatformHandlerOptions, call: PlatformCall): Promise<Toolbox> => {
  const found = typeof toolbox === 'function' ? await toolbox(call) : toolbox;
  return found.bind(contextOf(call));
};

/** A number that a telephone network transmitted can be forged. */
const contextOf = ({ callId, phone }: PlatformCall): ToolCallContext => ({
  callId,
  ...(phone !== undefined && { caller: { phone, verified: 'caller-id' } }),
});

/** Platforms also write `anonymous`, SIP addresses and client names where a number stands. */
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

/** A transcript of a long phone call with its configuration is far smaller. */
const mostBytes = 4 * 1024 * 1024;

const readBytes = async (request: Request): Promise<Buffer | undefined> => {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // A web stream is iterable in every runtime that this package supports; the types of some say otherwise.
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.byteLength;
    if (length > mostBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** A platform sends no body for a tool without arguments. */
const parse = (text: string): JsonObject | undefined => {
  if (text.trim() === '') return {};
  try {
    const json: unknown = JSON.parse(text);
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
};

/** Parsed JSON that is no scalar and no list. */
const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
