/**
 * Mounts a receiver as a route of Next.js.
 *
 * @module
 */
import type { Peer } from '../peer.ts';
import type { WebhookReceiver } from '../receiver.ts';

/** The exports of a route file. */
export interface RouteHandlers {
  readonly POST: (request: Request) => Promise<Response>;
  readonly PUT: (request: Request) => Promise<Response>;
  readonly PATCH: (request: Request) => Promise<Response>;
  readonly HEAD: (request: Request) => Promise<Response>;
}

/**
 * Route handlers for Next, and for every other framework whose handlers take a `Request` and give a `Response`. Next does
 * not show the address of the connection: give `peer` if your platform does.
 *
 * @example
 * export const { POST, HEAD } = webhook(receive);
 */
export const webhook = (
  receive: WebhookReceiver,
  { peer = () => ({}) }: { readonly peer?: (request: Request) => Peer } = {},
): RouteHandlers => {
  const handler = (request: Request) => receive(request, peer(request));
  return { POST: handler, PUT: handler, PATCH: handler, HEAD: handler };
};
