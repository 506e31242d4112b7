import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Integration, PhoneCall } from '../../../index.ts';
import { createConsole } from '../../console/index.ts';
import { createOutbox, defineEvent } from '../../../outbox/index.ts';
import { createMemoryMessageQueue } from '../../../stores/memory/index.ts';
import * as z from 'zod';
import type { RecordedCall } from './recorded-call.ts';

/** The console of the demo: it shows the played calls, and has an outbox with a dead letter to redrive. */
export interface DemoConsole extends AsyncDisposable {
  readonly url: string;
  /** From now on the console shows the breakers and tools of this one. */
  readonly show: (integration: Integration, phoneCall: PhoneCall) => void;
  /** From now on the console also shows the breaker of an API that is down. It closes the integration in the end. */
  readonly showOutage: (integration: Integration) => void;
  /** Publishes that the call ended, for two systems of ours; one of them refuses it the first time. */
  readonly callEnded: (call: RecordedCall) => Promise<void>;
}

const callCompleted = defineEvent('call.completed', {
  1: z.object({ callId: z.string(), outcome: z.string(), durationSeconds: z.number() }),
});

/** Starts the console. */
export const startConsole = async ({ port = 0 }: { readonly port?: number } = {}): Promise<DemoConsole> => {
  const systems = await startOwnSystems();
  const outbox = createOutbox({
    queue: createMemoryMessageQueue(),
    destinations: [
      { name: 'analytics', url: `${systems.origin}/analytics/v{version}`, version: 1 },
      { name: 'archive', url: `${systems.origin}/archive/v{version}`, version: 1 },
    ],
    allowNetworks: ['127.0.0.0/8'],
  });
  let shown: { readonly integration: Integration; readonly phoneCall: PhoneCall } | undefined;
  let down: Integration | undefined;
  const status = () => {
    const apis = shown?.integration.status() ?? {};
    const { billing } = down?.status() ?? {};
    return billing ? { ...apis, 'billing, down': billing } : apis;
  };
  const local = createConsole({
    integration: { status },
    outbox,
    toolboxes: () => (shown ? { 'Phone call': shown.phoneCall.tools } : {}),
    // Everything here is made up: nothing is lost when a user tries the buttons.
    allowActions: true,
    showContents: true,
  });
  const { url } = await local.listen({ port, print: () => {} });

  return {
    url,
    show: (integration, phoneCall) => {
      shown = { integration, phoneCall };
    },
    showOutage: (integration) => {
      down = integration;
    },
    callEnded: async ({ callId, finish: { outcome, durationSeconds } }) => {
      const payload = { callId, outcome, durationSeconds };
      await outbox.publish({ event: callCompleted, payload, callId, idempotencyKey: `${callId}:completed` });
    },
    [Symbol.asyncDispose]: async () => {
      await local.close();
      await down?.close();
      await outbox.close();
      await systems.close();
    },
  };
};

/** `/archive` has a defect: it refuses each event the first time. */
const startOwnSystems = async () => {
  const seen = new Set<string>();
  const server = createServer((request, response) => {
    const key = String(request.headers['idempotency-key']);
    const isRefused = request.url?.startsWith('/archive') && !seen.has(key);
    if (isRefused) seen.add(key);
    response.writeHead(isRefused ? 422 : 204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    // A server that listens on a port has an address of this kind.
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
