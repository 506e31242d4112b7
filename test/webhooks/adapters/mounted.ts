import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMemoryIdempotencyStore } from '../../../src/stores/memory-idempotency-store.ts';
import { hmac } from '../../../src/webhooks/authentication/hmac.ts';
import type { Peer } from '../../../src/webhooks/peer.ts';
import { createWebhookReceiver } from '../../../src/webhooks/receiver.ts';
import { paymentConfirmed, secret } from '../receiver-parts.ts';

/** A receiver, what it handled, who delivered, and the errors that its developer got. */
export const makeMounted = () => {
  const handled: string[] = [];
  const errors: unknown[] = [];
  const peers: (Peer | undefined)[] = [];
  const real = createWebhookReceiver({
    authentication: [hmac({ secrets: () => secret })],
    store: createMemoryIdempotencyStore(),
    maximumBodyBytes: 200_000,
    events: { 'payment.confirmed': paymentConfirmed },
    on: {
      'payment.confirmed': ({ payload }) => {
        handled.push(payload.payment_id);
        return { noted: payload.payment_id };
      },
    },
    onError: (error) => errors.push(error),
  });
  const receive: typeof real = Object.assign(
    (request: Request, peer?: Peer) => {
      peers.push(peer);
      return real(request, peer);
    },
    { startWorker: real.startWorker, handle: real.handle },
  );
  return { receive, handled, errors, peers };
};

/** On a port of its own, until it is disposed of. */
export const listening = async (server: Server) => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
