import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { initializeLogger, type JobContext, voice } from '@livekit/agents';
import { expect, test, vi } from 'vitest';
import {
  assertOn,
  createFakePlatform,
  createScriptedModel,
  type ScriptedMoment,
  testCredentials,
} from '../../src/dev/testing/index.ts';
import { WebSocketServer } from 'ws';
import { makeScratchFolder } from '../support/scratch-folder.ts';

initializeLogger({ pretty: false, level: 'silent' });

const phone = '+14155550100';
const payment = { call: 'create_payment', args: { invoice_id: 'in_1', amount: 120.5 } };
const question = ({ results }: ScriptedMoment): string =>
  (JSON.parse(results.at(-1) ?? '{}') as { summary?: string }).summary ?? `No question: ${results.join()}`;

/** LiveKit's gateway to models: the script is the model, and no one speaks. */
const serveGateway = async (model: string) => {
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url } = incoming;
    const asked = request(`${model}${url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(asked);
  }).listen(0, '127.0.0.1');
  const ears = new WebSocketServer({ server });
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    [Symbol.asyncDispose]: async () => {
      for (const client of ears.clients) client.terminate();
      server.closeAllConnections();
      server.close();
    },
  };
};

test('the agent of a job asks before it charges, and the call is written down when the line is gone', async () => {
  await using folder = await makeScratchFolder();
  process.chdir(folder.path);
  await using platform = createFakePlatform({ crm: 'hubspot', billing: 'stripe' });
  platform.billing.addCustomer({ id: 'cus_1', name: 'Ada', phone, default_payment_method: 'pm_card_visa' });
  platform.billing.addInvoice({ id: 'in_1', customer_id: 'cus_1', amount: 120.5, currency: 'EUR' });
  const { crm, billing } = await platform.listen();
  await using model = createScriptedModel([
    { call: 'lookup_customer_invoices' },
    payment,
    question,
    { ...payment, confirmed: true },
    'That is paid.',
  ]);
  await using gateway = await serveGateway(await model.listen());
  const env = {
    VENDORS: JSON.stringify({ 'api.hubapi.com': crm, 'api.stripe.com': billing }),
    HUBSPOT_KEY: testCredentials.crm,
    STRIPE_KEY: testCredentials.billing,
    LIVEKIT_INFERENCE_URL: gateway.url,
    LIVEKIT_API_KEY: 'test',
    LIVEKIT_API_SECRET: 'secret-of-this-test',
  };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  await import('../front-door/on-loopback.ts');
  const { default: agent } = await import('./04-livekit-agent.ts');

  const start = vi.spyOn(voice.AgentSession.prototype, 'start');
  const ends: (() => Promise<void>)[] = [];
  const shutdown = vi.fn<(reason?: string) => void>();
  await agent.entry({
    connect: async () => {},
    waitForParticipant: async () => ({ attributes: { 'sip.callID': 'SCL_1', 'sip.phoneNumber': phone } }),
    addShutdownCallback: (end: () => Promise<void>) => void ends.push(end),
    shutdown,
    job: { id: 'job_1' },
  } as unknown as JobContext);
  const session = start.mock.contexts[0] as voice.AgentSession;

  const said: string[] = [];
  for (const words of ['Please pay my invoice.', 'Yes, please.']) {
    await session.generateReply({ userInput: words }).waitForPlayout();
    said.push(
      session.history.items.flatMap((item) => (item.type === 'message' ? [item.textContent ?? ''] : [])).at(-1)!,
    );
  }
  await session.close();
  await Promise.all(ends.map((end) => end()));

  expect(said).toEqual(['Shall I charge 120 euros and 50 cents to the card on file?', 'That is paid.']);
  assertOn(platform).paidOnce({ invoiceId: 'in_1' });
  expect(shutdown).toHaveBeenCalledOnce();
  const tasks = platform.hubspot.records('tasks').map(({ properties }) => properties['hs_task_body']);
  expect(tasks).toEqual([expect.stringContaining('Caller: Yes, please.')]);
});
