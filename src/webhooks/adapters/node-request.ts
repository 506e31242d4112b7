import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { toBytes } from '../../signature/raw-body.ts';
import type { ClientCertificate, Peer } from '../peer.ts';
import { buildRequest } from './build-request.ts';

/**
 * The platform's `Request` of a request as Node has it. Bytes that something else has read are used if they're still there:
 * as `rawBody`, or as a `body` that is a Buffer or a text.
 * Throws `InvalidArgumentError` with the fix when only a parsed object is left.
 */
export const toRequest = (
  incoming: IncomingMessage & { readonly body?: unknown; readonly rawBody?: unknown; readonly originalUrl?: string },
): Request => {
  const { method = 'GET', originalUrl, url = '/' } = incoming;
  const target = originalUrl ?? url;
  const headers = headersOf(incoming);
  return buildRequest({ method, target, base: 'http://receiver.invalid', headers, body: () => bodyOf(incoming) });
};

/** One by one, as they came. The pseudo headers of HTTP/2 aren't headers elsewhere. */
const headersOf = ({ rawHeaders }: IncomingMessage): readonly (readonly [string, string])[] =>
  rawHeaders.flatMap((name, at) =>
    at % 2 === 0 && !name.startsWith(':') ? [[name, rawHeaders[at + 1] ?? ''] as const] : [],
  );

type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

const bodyOf = (incoming: IncomingMessage & { readonly body?: unknown; readonly rawBody?: unknown }): Body => {
  const { rawBody, body } = incoming;
  if (rawBody !== undefined && rawBody !== null) return toBody(rawBody);
  // A parser that did not feel responsible leaves an empty object, and the bytes unread.
  return incoming.readableDidRead ? toBody(body) : unread(incoming);
};

const toBody = (body: unknown): Body => {
  const bytes = toBytes(body);
  if (typeof bytes === 'string') return bytes;
  return Uint8Array.from(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
};

/**
 * Reads nothing before it's asked for. Giving up doesn't destroy the connection, on which the answer still has to go out:
 * it throws away the rest of the body. Node's own conversion does otherwise.
 */
const unread = (incoming: IncomingMessage): ReadableStream<Uint8Array> => {
  const chunks = incoming.iterator({ destroyOnReturn: false });
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        // What arrives in one turn of the event loop comes as one chunk, in however many pieces it was sent.
        await new Promise((resolve) => setImmediate(resolve));
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => {
        void chunks.return?.().then(() => incoming.resume());
      },
    },
    { highWaterMark: 0 },
  );
};

/** Returns the other end: the address of the connection, and a certificate that the server has verified. */
export const peerOf = ({ socket }: IncomingMessage): Peer => {
  const certificate = isTls(socket) && socket.authorized ? verified(socket) : undefined;
  return { address: socket.remoteAddress, certificate };
};

const isTls = (socket: object): socket is TLSSocket => 'getPeerCertificate' in socket && 'authorized' in socket;

const verified = (socket: TLSSocket): ClientCertificate | undefined => {
  const { fingerprint256, subject } = socket.getPeerCertificate();
  // Node gives an empty object when there is none.
  if (!fingerprint256) return undefined;
  const names: unknown = subject?.CN;
  const commonName = Array.isArray(names) ? names[0] : names;
  return { fingerprint256, commonName: typeof commonName === 'string' ? commonName : undefined };
};

/** Writes an answer of the receiver. Its bodies are short. */
export const writeAnswer = async (answer: Response, outgoing: ServerResponse): Promise<void> => {
  const body = Buffer.from(await answer.arrayBuffer());
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
  outgoing.end(body);
};
