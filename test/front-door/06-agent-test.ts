// A test of an agent: the caller is asked before the charge, an answer is lost, and nothing sleeps.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';
import { createIntegration } from 'voice-agent-integrations';
import { apiKey } from 'voice-agent-integrations/auth';
import { assertOn, createFakePlatform, createScriptedModel, testCredentials } from 'voice-agent-integrations/testing';
import { chat } from 'voice-agent-integrations/tools/openai';

const payment = { call: 'create_payment', args: { invoice_id: 'inv_7', amount: 120.5 } };

test('a lost answer charges once, after the caller has agreed', async (t) => {
  await using platform = createFakePlatform();
  const urls = await platform.listen();
  platform.billing.addCustomer({ id: 'cus_1', name: 'Ada', phone: '+14155550100' });
  platform.billing.addInvoice({ id: 'inv_7', customer_id: 'cus_1', amount: 120.5 });
  platform.fault('billing.payments.create', [{ executeThenDrop: true }]);
  await using integration = createIntegration({
    billing: { baseUrl: `${urls.billing}/v1`, authenticate: apiKey('X-Api-Key', () => testCredentials.billing) },
    payments: { card: () => 'pm_1', below: 500 },
    store: 'memory',
  });
  const phoneCall = integration.startPhoneCall({ callId: 'CA1', phone: '+14155550100' });

  const model = createScriptedModel([
    { call: 'lookup_customer_invoices' },
    payment,
    ({ results }) =>
      results.join().includes('confirmation_required') ? 'Shall I charge 120.50?' : 'Charged without asking',
    { ...payment, confirmed: true },
    'That is paid.',
  ]);
  t.after(() => model.close());
  const openai = new OpenAI({ apiKey: 'test', baseURL: `${await model.listen()}/v1` });
  const messages: OpenAI.ChatCompletionMessageParam[] = [];
  const say = async (words: string) => {
    messages.push({ role: 'user', content: words });
    const tools = chat.runnable(phoneCall.turn({ heard: words }));
    const run = openai.chat.completions.runTools({ model: 'scripted', messages: [...messages], tools });
    const text = await run.finalContent();
    messages.splice(0, messages.length, ...run.messages);
    return text;
  };

  assert.equal(await say('Please pay my invoice.'), 'Shall I charge 120.50?');
  assertOn(platform).paidNothing();
  assert.equal(await say('Yes, please.'), 'That is paid.');
  assertOn(platform).paidOnce({ invoiceId: 'inv_7' });
  assertOn(platform).metEveryFault();
});
