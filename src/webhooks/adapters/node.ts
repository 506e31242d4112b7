/**
 * Mounts a receiver on `node:http` and `node:https`.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ignoreErrors } from '../../observability/ignore-errors.ts';
import type { WebhookReceiver } from '../receiver.ts';
import { peerOf, toRequest, writeAnswer } from './node-request.ts';

/** Options of the listener for Node. */
export interface NodeWebhookOptions {
  /** Called when the bytes were read before the receiver could; the sender gets a 500. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * A request listener for `node:http` and `node:https`.
 *
 * @example
 * createServer(webhook(receive, { onError: console.error })).listen(4000);
 */
export const webhook =
  (
    receive: WebhookReceiver,
    { onError }: NodeWebhookOptions = {},
  ): ((incoming: IncomingMessage, outgoing: ServerResponse) => void) =>
  (incoming, outgoing) => {
    answer(receive, incoming, outgoing).catch((error: unknown) => {
      ignoreErrors(() => onError?.(error));
      if (!outgoing.headersSent) outgoing.writeHead(500);
      outgoing.end();
    });
  };

const answer = async (receive: WebhookReceiver, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> =>
  writeAnswer(await receive(toRequest(incoming), peerOf(incoming)), outgoing);
