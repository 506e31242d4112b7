import { createConsole, type ConsoleOptions } from '../../src/dev/console/index.ts';
import { createIntegration } from '../../src/integration.ts';
import { createOutbox } from '../../src/outbox/index.ts';
import { testCredentials } from '../../src/dev/testing/index.ts';
import { connectPlatform } from './connected-platform.ts';
import { callCompleted } from './open-outbox.ts';
import { startRecordingServer } from './recording-server.ts';
import { eventually } from './until.ts';
import { createMemoryMessageQueue } from '../../src/stores/memory/index.ts';

/** A console that listens, over three systems that misbehave a little, phone calls to play and a dead letter. */
export const setConsoleScene = async (options: ConsoleOptions = {}) => {
  const connected = await connectPlatform();
  const { platform, clientOptions } = connected;
  platform.messaging.addContact({ id: 'contact_ada', name: 'Ada Park', phone: '+14155550100' });
  const customer = platform.billing.addCustomer({ id: 'cus_ada', phone: '+14155550100' });
  platform.billing.addInvoice({ id: 'inv_1', customer_id: customer.id, amount: 120.5 });
  const integration = createIntegration(clientOptions);
  const archive = await startRecordingServer();
  archive.answer({ status: 422 }, { status: 200 });
  const outbox = createOutbox({
    queue: createMemoryMessageQueue(),
    destinations: [{ name: 'archive', url: `${archive.baseUrl}/hook`, version: 1 }],
    allowNetworks: ['127.0.0.0/8'],
  });
  const start = (callId: string) =>
    integration.startPhoneCall({
      callId,
      direction: 'Inbound',
      phone: '+14155550100',
      payments: { card: () => 'pm_1', confirm: false },
    });
  const { tools } = start('CA-shown');
  const local = createConsole({ integration, outbox, toolboxes: { 'Phone call': tools }, ...options });
  const server = await local.listen({ print: () => {} });

  return {
    platform,
    credentials: testCredentials,
    archive,
    outbox,
    local,
    ...server,
    /** One look-up of invoices by a tool, whose first answer is a 503. */
    playCall: async (callId: string) => {
      platform.fault('billing.invoices.listOpen', [{ status: 503 }]);
      return start(callId).tools.run('lookup_customer_invoices', {});
    },
    /** Publishes an event that its destination refuses. */
    makeDeadLetter: async (callId: string) => {
      const idempotencyKey = `${callId}:completed`;
      await outbox.publish({ event: callCompleted, payload: { callId }, callId, idempotencyKey });
      await eventually(async () => (await outbox.deadLetters.list()).length > 0);
    },
    [Symbol.asyncDispose]: async () => {
      await local.close();
      await integration.close();
      await outbox.close(0);
      await archive[Symbol.asyncDispose]();
      await connected[Symbol.asyncDispose]();
    },
  };
};
