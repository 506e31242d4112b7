import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bearer } from '../../src/auth/index.ts';
import { stripeSignature } from '../../src/billing/stripe/index.ts';
import {
  assertOn,
  createFakePlatform,
  createScriptedModel,
  type FakePlatform,
  forgedWebhooks,
  type ScriptedMoment,
  signedWebhook,
  testCredentials,
} from '../../src/dev/testing/index.ts';
import { createIntegration } from '../../src/integration.ts';
import { sqlite } from '../../src/stores/sqlite/index.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { until } from '../support/until.ts';
import { type RunningProgram, runProgram, startProgram } from './run-program.ts';

const phone = '+14155550100';
const payment = { call: 'create_payment', args: { invoice_id: 'in_1', amount: 120.5 } };

let platform: FakePlatform;
let vendors: Readonly<Record<string, string>>;

beforeEach(async () => {
  platform = createFakePlatform({ messaging: 'zendesk', crm: 'hubspot', billing: 'stripe' });
  platform.billing.addCustomer({ id: 'cus_1', name: 'Ada', phone, default_payment_method: 'pm_card_visa' });
  platform.billing.addInvoice({ id: 'in_1', customer_id: 'cus_1', amount: 120.5, currency: 'EUR' });
  platform.hubspot.add('contacts', { firstname: 'Ada', phone });
  const { messaging, crm, billing } = await platform.listen();
  vendors = { 'acme.zendesk.com': messaging, 'api.hubapi.com': crm, 'api.stripe.com': billing };
});
afterEach(() => platform.close());

const secrets = { HUBSPOT_KEY: testCredentials.crm, STRIPE_KEY: testCredentials.billing };

const post = async (program: RunningProgram, path: string, body: unknown, headers: object) => {
  const answer = await fetch(`http://127.0.0.1:${await program.port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: answer.status, body: text.startsWith('{') ? (JSON.parse(text) as unknown) : text };
};

const question = ({ results }: ScriptedMoment): string =>
  (JSON.parse(results.at(-1) ?? '{}') as { summary?: string }).summary ?? `No question: ${results.join()}`;

describe('03: a backend on Hono', () => {
  const agent = { authorization: 'Bearer secret-of-the-agent' };
  const env = () => ({
    ...secrets,
    ZENDESK_TOKEN: testCredentials.messaging,
    ZENDESK_AGENT_ID: String(platform.zendesk.ownAgentId),
    STRIPE_ENDPOINT_SECRET: 'whsec_1',
    AGENT_SECRET: 'secret-of-the-agent',
    OPENAI_API_KEY: 'test',
  });

  test('takes turns, asks before it charges, and writes the call down once', async () => {
    await using model = createScriptedModel([
      { call: 'lookup_customer_invoices' },
      payment,
      question,
      { ...payment, confirmed: true },
      'That is paid.',
    ]);
    const OPENAI_BASE_URL = `${await model.listen()}/v1`;
    await using program = await startProgram('03-hono-backend.ts', { env: { ...env(), OPENAI_BASE_URL }, vendors });
    const say = (text: string) => post(program, '/calls/turn', { callId: 'CA1', phone, text }, agent);
    const end = (headers: object = agent) => post(program, '/calls/end', { callId: 'CA1', phone }, headers);

    expect(await say('Please pay my invoice.')).toEqual({
      status: 200,
      body: { text: 'Shall I charge 120 euros and 50 cents to the card on file?' },
    });
    assertOn(platform).paidNothing();
    expect(await say('Yes, please.')).toEqual({ status: 200, body: { text: 'That is paid.' } });
    assertOn(platform).paidOnce({ invoiceId: 'in_1' });
    expect((await end({})).status).toBe(401);
    expect(await Promise.all([end(), end()])).toMatchObject([{ status: 204 }, { status: 204 }]);

    expect(await program.stop()).toBe(0);
    expect(program.printed() + program.complained()).toBe('');
    expect(JSON.stringify(platform.zendesk.tickets)).toMatch(/Caller: Yes, please\..*Agent: That is paid\./);
    expect(platform.hubspot.records('tasks')).toHaveLength(1);
  });

  test('takes events of Stripe, and no forged ones', async () => {
    await using program = await startProgram('03-hono-backend.ts', { env: env(), vendors });
    const object = { id: 'in_1', object: 'invoice', customer: 'cus_1', status: 'open', currency: 'eur' };
    const event = {
      id: 'evt_1',
      object: 'event',
      type: 'invoice.payment_failed',
      created: Math.floor(Date.now() / 1000),
      livemode: true,
      data: { object: { ...object, amount_remaining: 12_050, amount_paid: 0 } },
    };
    const send = ({ body, headers }: ReturnType<typeof signedWebhook>) =>
      post(program, '/webhooks/stripe', body, headers);
    const signed = { secret: 'whsec_1', scheme: stripeSignature, body: event };

    expect((await send(signedWebhook(signed))).status).toBe(204);
    expect((await send(signedWebhook(signed))).status).toBe(204);
    for (const forged of forgedWebhooks(signed)) expect((await send(forged)).status).toBe(401);

    expect(await program.stop()).toBe(0);
    expect(program.printed()).toBe('in_1\n');
    expect(program.complained()).toMatch(/^(webhook refused: .+\n)+$/);
  });

  test.each([
    ['a key that is missing', { STRIPE_KEY: undefined }, 'STRIPE_KEY must be set in the environment'],
    ['a key that is wrong', { HUBSPOT_KEY: 'wrong' }, 'crm: the credential is refused: 401'],
  ])('with %s it says so and takes no calls', async (_, wrong, problem) => {
    const { end, complained } = await runProgram('03-hono-backend.ts', { env: { ...env(), ...wrong }, vendors });

    expect(end).toBe(1);
    expect(complained).toContain(problem);
  });
});

describe('05: a server for Vapi', () => {
  test('gives the assistant its tools, asks before it charges, and writes the call down once', async () => {
    await using program = await startProgram('05-vapi-server.ts', {
      env: { ...secrets, VAPI_SECRET: 'secret-of-vapi' },
      vendors,
    });
    const call = { id: 'vapi_1', type: 'inboundPhoneCall', customer: { number: phone } };
    const messages: object[] = [];
    const send = async (path: string, message: object, secret = 'secret-of-vapi') =>
      post(program, path, { message: { call, ...message } }, { 'x-vapi-secret': secret });
    const run = async (name: string, args: object): Promise<string> => {
      const toolCallList = [{ id: `call_${messages.length}`, function: { name, arguments: args } }];
      const { body } = await send('/vapi/tools', { type: 'tool-calls', toolCallList, artifact: { messages } });
      const [{ result, error }] = (body as VapiAnswer).results;
      messages.push({ role: 'tool_call_result', result: result ?? error });
      return result ?? error ?? '';
    };
    const say = (message: string) => messages.push({ role: 'user', message });

    const rings = await send('/vapi/events', { type: 'assistant-request' });
    expect(rings).toMatchObject({ status: 200, body: { assistant: { model: { provider: 'openai' } } } });
    expect(JSON.stringify(rings.body)).toContain('"create_payment"');
    expect((await send('/vapi/tools', { type: 'tool-calls', toolCallList: [] }, 'a guess')).status).toBe(401);

    say('Please pay my invoice.');
    expect(await run('lookup_customer_invoices', {})).toContain('120.5');
    const asked = await run('create_payment', payment.args);
    expect(asked).toContain('Shall I charge 120 euros and 50 cents to the card on file?');
    messages.push({ role: 'bot', message: 'Shall I charge 120 euros and 50 cents to the card on file?' });
    assertOn(platform).paidNothing();
    say('Yes, please.');
    const { confirmation_token } = JSON.parse(asked) as { confirmation_token: string };
    expect(await run('create_payment', { ...payment.args, confirmation_token })).toContain('"success":true');
    assertOn(platform).paidOnce({ invoiceId: 'in_1' });

    const report = {
      type: 'end-of-call-report',
      endedReason: 'customer-ended-call',
      artifact: { transcript: 'AI: Hi' },
    };
    const statuses = [];
    for (const message of [report, report, { type: 'status-update' }])
      statuses.push((await send('/vapi/events', message)).status);
    expect(statuses).toEqual([204, 204, 204]);

    expect(await program.stop()).toBe(0);
    expect(program.printed() + program.complained()).toBe('');
    const tasks = platform.hubspot.records('tasks').map(({ properties }) => properties['hs_task_body']);
    expect(tasks).toEqual([expect.stringContaining('AI: Hi')]);
  });
});

describe('the worker of the backends', () => {
  test('writes down what servers store, and ends when it is asked to', async () => {
    await using systems = createFakePlatform();
    const urls = await systems.listen();
    await using folder = await makeScratchFolder();
    const env = {
      MESSAGING_BASE_URL: urls.messaging,
      MESSAGING_TOKEN: testCredentials.messaging,
      MESSAGING_ADMIN_ID: 'admin_1',
      CRM_BASE_URL: urls.crm,
      CRM_TOKEN: testCredentials.crm,
      BILLING_BASE_URL: urls.billing,
      BILLING_API_KEY: testCredentials.billing,
      CALLS_FILE: folder.file('calls.db'),
    };
    // A server that only stores.
    const queue = sqlite({ file: env.CALLS_FILE }).messageQueue();
    const crm = { baseUrl: urls.crm, authenticate: bearer(() => testCredentials.crm), version: '60.0' };
    await using server = createIntegration({ crm, finishLater: { queue, work: false } });
    expect(await server.startPhoneCall({ callId: 'CA1', phone }).finish({ outcome: 'resolved' })).toMatchObject({
      queued: true,
    });
    expect(systems.crm.tasks).toEqual([]);

    await using worker = await startProgram('../../examples/backends/worker.ts', { env });
    await worker.hasPrinted('Writing down');
    await until(() => systems.crm.tasks.length > 0);
    expect(await worker.stop()).toBe(0);

    expect(systems.crm.tasks).toMatchObject([{ Subject: 'Inbound call: resolved' }]);
    await queue.close(0);
  });
});

interface VapiAnswer {
  readonly results: readonly [{ readonly result?: string; readonly error?: string }];
}
