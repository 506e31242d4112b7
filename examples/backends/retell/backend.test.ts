import { expect, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { ann, startFakeSystems } from '../support/fake-systems.ts';
import { describeBackend } from '../support/suite.ts';
import { type OfflineRetell, startOffline } from './fake-retell.ts';

describeBackend({ name: 'Retell', start: (env) => startOffline({ ...env, REPORT_MS: '50' }), forged: [401, 401] });

const call = { call_id: 'CA1', call_type: 'phone_call', direction: 'inbound', from_number: ann.phone };

/** Looks up and asks. Returns the request with the caller's yes. */
const askFirst = async (backend: OfflineRetell) => {
  const before = { ...call, transcript: 'User: Please pay it.' };
  await backend.post('/retell/events', { event: 'call_started', call });
  await backend.post('/retell/tools', { name: 'lookup_customer_invoices', args: {}, call: before });
  const payment = { invoice_id: 'inv_1', amount: 120.5 };
  const { text } = await backend.post('/retell/tools', { name: 'create_payment', args: payment, call: before });
  const [, confirmation_token] = /confirmation_token\W+([\w.-]+)/.exec(text) ?? [];
  const after = { ...call, transcript: `${before.transcript}\nAgent: Shall I charge it?\nUser: Yes.` };
  return { name: 'create_payment', args: { ...payment, confirmation_token }, call: after };
};

test('requests that Retell sends again do nothing twice, also after a restart', async () => {
  await using systems = await startFakeSystems();
  await using backend = await startOffline(systems.env);
  const analyzed = {
    event: 'call_analyzed',
    call: { ...call, transcript: 'User: Please pay it.\nAgent: That is paid.' },
  };

  const pay = await askFirst(backend);
  const paid = await Promise.all([backend.post('/retell/tools', pay), backend.post('/retell/tools', pay)]);
  const repeated = await backend.post('/retell/tools', pay);
  const told = await Promise.all([backend.post('/retell/events', analyzed), backend.post('/retell/events', analyzed)]);
  await systems.finished(1);
  await backend.stop();
  await using again = await startOffline(systems.env);
  const late = await again.post('/retell/events', analyzed);
  await again.stop();

  const success = expect.stringContaining('"success":true,"confirmation_number":"CONF-1"') as string;
  expect(paid).toContainEqual({ status: 200, text: success });
  expect(repeated).toEqual({ status: 200, text: success });
  // Taken, or still being taken, after which Retell asks again.
  for (const { status } of [...told, late]) expect([204, 409]).toContain(status);
  const { payments, conversations, tasks } = systems.written();
  expect([payments, conversations, tasks].map(({ length }) => length)).toEqual([1, 1, 1]);
});

test('a custom function that arrives after the end of its phone call pays nothing', async () => {
  await using systems = await startFakeSystems();
  await using backend = await startOffline(systems.env);

  const pay = await askFirst(backend);
  await backend.post('/retell/events', { event: 'call_analyzed', call });
  const { text } = await backend.post('/retell/tools', pay);

  expect(text).toContain('cancelled');
  expect(systems.written().payments).toEqual([]);
});

test('while it rings the connections are opened, and no contact is looked up', async () => {
  await using systems = await startFakeSystems();
  await using backend = await startOffline(systems.env);
  const ringing = { event: 'call_inbound', call_inbound: { from_number: ann.phone, to_number: '+18005550101' } };

  const before = systems.platform.requests.length;
  const answer = await backend.post('/retell/events', ringing);
  await until(() => systems.platform.requests.length >= before + 3);

  expect(answer).toEqual({ status: 200, text: '{"call_inbound":{}}' });
  expect([...new Set(systems.platform.requests.slice(before).map(({ method }) => method))]).toEqual(['OPTIONS']);
});
