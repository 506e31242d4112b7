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
      maximumPayment: 5000,
    },
  });
  const { tools } = integration.startPhoneCall({
    callId: 'CA1',
    direction: 'Inbound',
    phone: '+14155550100',
    tools: { billing: { payments: { bind: { payment_method_id: 'pm_on_file' } } } },
  });

  const call = (id: string, name: string, args: object) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(args) },
  });
  const message = {
    role: 'assistant',
    content: null,
    tool_calls: [call('call_1', 'lookup_customer_invoices', {})],
  };
  const payment = {
    role: 'assistant',
    content: null,
    tool_calls: [call('call_2', 'create_payment', { invoice_id: 'inv_7', amount: 120.5 })],
  };
  for (const { content } of await openai.chat.runAll(tools, message)) console.log(`  tool: ${content}`);
  for (const { content } of await openai.chat.runAll(tools, payment)) console.log(`  tool: ${content}`);

  await integration.close();
  await platform.close();
};

main().catch((error: unknown) => {
  console.error(error instanceof voiceAgent.IntegrationError ? error.code : error);
  process.exitCode = 1;
});
