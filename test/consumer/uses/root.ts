import { IntegrationError, createIntegration } from 'voice-agent-integrations';
import { apiKey, bearer } from 'voice-agent-integrations/auth';

const integration = createIntegration({
  messaging: {
    baseUrl: 'https://api.acme.example',
    authenticate: bearer(() => 'secret'),
    platform: 'Acme',
    version: '2.11',
    adminId: 'admin_7',
  },
  crm: { baseUrl: 'https://acme.crm.example', authenticate: bearer(() => 'secret'), version: '60.0' },
  billing: {
    baseUrl: 'https://billing.example.com',
    authenticate: apiKey('X-Api-Key', () => 'secret'),
    version: { path: 'v1' },
  },
  payments: { below: 5000, confirm: false },
});

export const answer = async (): Promise<string> => {
  const phoneCall = integration.startPhoneCall({ callId: 'CA1', direction: 'Inbound', phone: '+14155550100' });
  try {
    const { contact } = await phoneCall.identifyCaller({ email: 'ada@example.com' });
    const payment = { customerId: 'cus_1', invoiceId: 'inv_7', amount: 42.5, paymentMethodId: 'pm_3' };
    const paid = await phoneCall.takePayment(payment);
    const { data } = await integration.crm.leads.search({ phone: '+14155550100' });
    await phoneCall.finish({ outcome: 'resolved', summary: 'Paid.' });
    return `${contact.name} ${paid.success ? paid.confirmationNumber : paid.error} ${data.length}`;
  } catch (error) {
    return error instanceof IntegrationError ? error.code : 'unknown';
  }
};
