/**
 * Mounts a receiver on Express.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WebhookReceiver } from '../receiver.ts';
import { peerOf, toRequest, writeAnswer } from './node-request.ts';

/**
 * Makes a handler for Express. Mount it before `express.json()`, or give its route `express.raw({ type: () => true })`.
 * If a parser has made an object of the body, Express gets an error that says so, and the sender a 500.
 *
 * @example
 * app.all('/hook/messaging', webhook(receive));
 * app.use(express.json());
 */
export const webhook =
  (receive: WebhookReceiver) =>
  async (incoming: IncomingMessage, outgoing: ServerResponse, next: (error: unknown) => void): Promise<void> => {
    try {
      await writeAnswer(await receive(toRequest(incoming), peerOf(incoming)), outgoing);
    } catch (error) {
      next(error);
    }
  };
