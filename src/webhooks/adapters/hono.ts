/**
 * Mounts a receiver on Hono.
 *
 * @module
 */
import type { IncomingMessage } from 'node:http';
import type { Peer } from '../peer.ts';
import type { WebhookReceiver } from '../receiver.ts';
import { peerOf } from './node-request.ts';

/** The part of a Hono context that is used. */
export interface HonoContextLike {
  readonly req: { readonly raw: Request; text(): Promise<string> };
  readonly env: unknown;
}

/**
 * A handler for Hono, on any runtime. On Node (`@hono/node-server`) it knows the address of the connection; elsewhere
 * `peer` returns it. A body that middleware has read as text or JSON is taken from Hono's own copy of the text.
 *
 * @example
 * app.all('/hook/messaging', webhook(receive));
 */
export const webhook =
  (receive: WebhookReceiver, { peer = nodePeer }: { readonly peer?: (context: HonoContextLike) => Peer } = {}) =>
  async (context: HonoContextLike): Promise<Response> =>
    receive(await withBody(context), peer(context));

const withBody = async ({ req }: HonoContextLike): Promise<Request> => {
  const { raw } = req;
  if (!raw.bodyUsed) return raw;
  const { url, method, headers } = raw;
  return new Request(url, { method, headers, body: await req.text() });
};

const nodePeer = ({ env }: HonoContextLike): Peer => {
  if (typeof env !== 'object' || env === null || !('incoming' in env)) return {};
  // Written there by @hono/node-server.
  return peerOf(env.incoming as IncomingMessage);
};
