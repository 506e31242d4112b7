import voiceAgent = require('voice-agent-integrations');
import auth = require('voice-agent-integrations/auth');
import testing = require('voice-agent-integrations/testing');
import openai = require('voice-agent-integrations/tools/openai');

/** The agent of "Getting started" in a CommonJS project, whose modules cannot wait: in one file, for one question. */
const main = async () => {
  const platform = testing.createFakePlatform();
  const urls = await platform.listen();
  platform.billing.addCustomer({ id: 'cus_1', name: 'Ada Park', phone: '+14155550100' });
  platform.billing.addInvoice({ id: 'inv_7', customer_id: 'cus_1', amount: 120.5, due_date: '2030-01-31' });

  const integration = voiceAgent.createIntegration({
    messaging: {
      baseUrl: urls.messaging,
      authenticate: auth.bearer(() => testing.testCredentials.messaging),
      platform: 'Acme',
      version: '2.11',
      adminId: 'admin_1',
    },
    crm: { baseUrl: urls.crm, authenticate: auth.bearer(() => testing.testCredentials.crm), version: '60.0' },
    billing: {
      baseUrl: urls.billing,
      authenticate: auth.apiKey('X-Api-Key', () => testing.testCredentials.billing),
      version: { path: 'v1' },
      currency: 'EUR',
    },
    payments: { card: () => 'pm_on_file', below: 5000, confirm: false },
  });
  const { tools } = integration.startPhoneCall({
    callId: 'CA1',
    direction: 'Inbound',
    phone: '+14155550100',
  });

  const model = testing.createScriptedModel([
    { call: 'lookup_customer_invoices' },
    { call: 'create_payment', args: { invoice_id: 'inv_7', amount: 120.5 } },
    'That is paid.',
  ]);
  const modelUrl = `${await model.listen()}/v1/chat/completions`;
  const messages: object[] = [{ role: 'user', content: 'Please charge what I owe.' }];
  const answer = async (): Promise<void> => {
    const body = JSON.stringify({ model: 'scripted', messages, tools: openai.chat.tools(tools) });
    const response = await fetch(modelUrl, { method: 'POST', body });
    const { choices } = (await response.json()) as { choices: [{ message: Parameters<typeof openai.chat.runAll>[1] }] };
    const [{ message }] = choices;
    const results = await openai.chat.runAll(tools, message);
    if (results.length === 0) return;
    for (const { content } of results) console.log(`  tool: ${content}`);
    messages.push(message, ...results);
    return answer();
  };
  await answer();

  await model.close();
  await integration.close();
  await platform.close();
};

main().catch((error: unknown) => {
  console.error(error instanceof voiceAgent.IntegrationError ? error.code : error);
  process.exitCode = 1;
});
