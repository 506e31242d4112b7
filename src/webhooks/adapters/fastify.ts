/**
 * Mounts a receiver on Fastify.
 *
 * @module
 */
import type { IncomingMessage } from 'node:http';
import type { WebhookReceiver } from '../receiver.ts';
import { peerOf, toRequest } from './node-request.ts';

/** The part of a Fastify instance that is used. */
export interface FastifyLike {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    type: string,
    parser: (request: unknown, payload: unknown, done: (error: Error | null, body?: unknown) => void) => void,
  ): unknown;
  route(options: {
    method: string[];
    url: string;
    handler: (request: { readonly raw: IncomingMessage }, reply: FastifyReplyLike) => Promise<unknown>;
  }): unknown;
}

/** The part of a reply that is used. */
export interface FastifyReplyLike {
  code(status: number): FastifyReplyLike;
  headers(headers: Record<string, string>): FastifyReplyLike;
  send(body?: unknown): FastifyReplyLike;
}

/**
 * A plugin for Fastify with one route. Within it no body is parsed, so that the receiver gets the bytes; other routes
 * keep their parsers.
 *
 * @example
 * await app.register(webhook(receive, { url: '/hook/messaging' }));
 */
export const webhook =
  (receive: WebhookReceiver, { url }: { readonly url: string }) =>
  async (instance: FastifyLike): Promise<void> => {
    instance.removeAllContentTypeParsers();
    instance.addContentTypeParser('*', (_request, _payload, done) => done(null));
    instance.route({
      method: ['POST', 'PUT', 'PATCH', 'HEAD', 'GET'],
      url,
      handler: async ({ raw }, reply) => {
        const answer = await receive(toRequest(raw), peerOf(raw));
        reply.code(answer.status).headers(Object.fromEntries(answer.headers));
        return reply.send(Buffer.from(await answer.arrayBuffer()));
      },
    });
  };
