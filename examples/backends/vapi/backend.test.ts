import { expect, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { ann, startFakeSystems } from '../support/fake-systems.ts';
import { describeBackend } from '../support/suite.ts';
import { type OfflineVapi, startFakeVapi } from './fake-vapi.ts';

const startOffline = (env: Readonly<Record<string, string>>) =>
  startFakeVapi({ file: new URL('server.ts', import.meta.url), env: { ...env, REPORT_MS: '50' } });

describeBackend({ name: 'Vapi', start: startOffline, forged: [401, 401] });

const call = { id: 'CA1', type: 'inboundPhoneCall', customer: { number: ann.phone } };

const toolCalls = (id: string, name: string, args: object, transcript = 'User: Please pay it.') => ({
  type: 'tool-calls',
  toolCallList: [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
  call,
  artifact: { transcript },
});

/** Looks up and asks. Returns the request with the caller's yes. */
const askFirst = async (backend: OfflineVapi) => {
  await backend.post('/vapi/events', { type: 'assistant-request', call });
  await backend.post('/vapi/tools', toolCalls('call_1', 'lookup_customer_invoices', {}));
  const payment = { invoice_id: 'inv_1', amount: 120.5 };
  const { body } = await backend.post('/vapi/tools', toolCalls('call_2', 'create_payment', payment));
  const [, confirmation_token] = /confirmation_token\W+([\w.-]+)/.exec(body) ?? [];
  const said = 'User: Please pay it.\nAI: Shall I charge it?\nUser: Yes.';
  return toolCalls('call_3', 'create_payment', { ...payment, confirmation_token }, said);
};

test('messages that Vapi sends twice do nothing twice, also after a restart', async () => {
  await using systems = await startFakeSystems();
  await using backend = await startOffline(systems.env);
  const artifact = { transcript: 'User: Please pay it.\nAI: That is paid.' };
  const report = { type: 'end-of-call-report', endedReason: 'customer-ended-call', call, artifact };

  const pay = await askFirst(backend);
  const paid = await Promise.all([backend.post('/vapi/tools', pay), backend.post('/vapi/tools', pay)]);
  const reported = await Promise.all([backend.post('/vapi/events', report), backend.post('/vapi/events', report)]);
  await systems.finished(1);
  await backend.stop();
  await using again = await startOffline(systems.env);
  const late = await again.post('/vapi/events', report);
  await again.stop();

  expect(paid[0]?.body).toContain('confirmation_number');
  expect(paid[1]).toEqual(paid[0]);
  // Taken, or still being taken.
  for (const { status } of [...reported, late]) expect([204, 409]).toContain(status);
  const { payments, conversations, tasks } = systems.written();
  expect([payments, conversations, tasks].map(({ length }) => length)).toEqual([1, 1, 1]);
});

test('a tool call without the secret pays nothing', async () => {
  await using systems = await startFakeSystems();
  await using backend = await startOffline(systems.env);
  const pay = await askFirst(backend);

  const { status } = await backend.post('/vapi/tools', pay, 'a guess');

  expect(status).toBe(401);
  expect(systems.written().payments).toEqual([]);
});

test('a tool call that arrives after the end of its phone call pays nothing', async () => {
  await using systems = await startFakeSystems();
  await using backend = await startOffline(systems.env);

  const pay = await askFirst(backend);
  await backend.post('/vapi/events', { type: 'end-of-call-report', call });
  const { body } = await backend.post('/vapi/tools', pay);

  expect(body).toContain('cancelled');
  expect(systems.written().payments).toEqual([]);
});

test('a model that confirms before the caller has answered pays nothing', async () => {
  await using systems = await startFakeSystems();
  await using backend = await startOffline(systems.env);
  const { toolCallList } = await askFirst(backend);

  const { body } = await backend.post('/vapi/tools', { ...toolCalls('', '', {}), toolCallList });

  expect(body).toContain('caller_has_not_answered');
  expect(systems.written().payments).toEqual([]);
});

test('a server that is stopped answers the tool call that it runs', async () => {
  await using systems = await startFakeSystems();
  await using backend = await startOffline(systems.env);
  const pay = await askFirst(backend);
  systems.platform.fault('billing.payments.create', [{ latencyMs: 500 }]);

  const paid = backend.post('/vapi/tools', pay);
  await until(() => systems.platform.effects('billing.payments.create') === 1);

  expect(await backend.stop()).toBe(0);
  expect((await paid).body).toContain('confirmation_number');
});

test('a caller who withholds the number is answered, and sees no invoices', async () => {
  await using systems = await startFakeSystems();
  await using backend = await startOffline(systems.env);
  const line = await backend.ring({ callId: 'CA1', phone: 'anonymous' });

  expect(await line.say('What do I owe you?')).toContain('I cannot see your invoices right now.');
});
