import { createIntegration } from 'voice-agent-integrations';
import { apiKey, bearer } from 'voice-agent-integrations/auth';
import { chat } from 'voice-agent-integrations/tools/openai';
import type { Surroundings } from './systems.ts';

/** A call from "hello" to the note, in which a model pays an invoice, asks for it twice, and one answer is a 503. */
export const run = async ({ systems }: Surroundings) => {
  await using integration = createIntegration({
    messaging: {
      baseUrl: systems.messaging,
      authenticate: bearer(() => 'test-messaging-token'),
      platform: 'Acme',
      version: '2.11',
      adminId: 'admin_1',
    },
    crm: { baseUrl: systems.crm, authenticate: bearer(() => 'test-crm-token'), version: '60.0' },
    billing: {
      baseUrl: systems.billing,
      authenticate: apiKey('X-Api-Key', () => 'test-billing-key'),
      version: { path: 'v1' },
    },
    payments: { below: 5000, confirm: false },
  });
  const phoneCall = integration.startPhoneCall({
    callId: 'CA1',
    direction: 'Inbound',
    phone: '+14155550100',
    payments: { card: () => 'pm_1', confirm: false },
  });
  const callTool = async (id: string, name: string, args: object) => {
    const call = { id, type: 'function' as const, function: { name, arguments: JSON.stringify(args) } };
    const [result] = await chat.runAll(phoneCall.tools, { role: 'assistant', tool_calls: [call] });
    return JSON.parse(String(result?.content)) as unknown;
  };

  const { contact } = await phoneCall.identifyCaller();
  const payment = { invoice_id: 'inv_7', amount: 120.5 };
  const invoices = await callTool('call_1', 'lookup_customer_invoices', {});
  const paid = await callTool('call_2', 'create_payment', payment);
  const again = await callTool('call_3', 'create_payment', payment);
  const wrong = await integration.billing
    .request({ operation: 'billing.nowhere.get', method: 'GET', path: 'nowhere', returns: () => undefined })
    .catch((error: Error) => error.name);
  const { complete } = await phoneCall.finish({ outcome: 'resolved', summary: 'Paid invoice inv_7 by card.' });

  return { name: contact.name, invoices, paid, again, wrong, complete };
};
