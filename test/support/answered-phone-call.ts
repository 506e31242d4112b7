import { apiKey, bearer } from '../../src/auth/index.ts';
import type { Transport } from '../../src/http/request.ts';
import { createIntegration } from '../../src/integration.ts';
import type { CallToolsOfPhoneCall } from '../../src/phone-call/tools.ts';
import { type CallToolsOptions, paymentPage, type Toolbox } from '../../src/tools/index.ts';
import { contactsSearch, conversation, customer, leadsSearch, openInvoices } from './realistic-answers.ts';

/** The answers of the three systems during a phone call, realistic in length. */
export const realisticAnswers = () => ({
  contacts: contactsSearch(),
  conversation: conversation(),
  leads: leadsSearch(),
  invoices: openInvoices(),
});

/** The settings that give a phone call the rest of the tools. */
export const allTools: Omit<CallToolsOptions, 'phoneCall' | 'messaging' | 'crm'> = {
  ticketTypeId: '7',
  caseStatus: true,
  ticketStatus: true,
  openCase: true,
  addToCase: 'crm',
  calendar: { ownerId: '005000000000001', timeZone: 'America/New_York' },
  transfer: { moveCall: () => true, whenUnavailable: 'A colleague calls back the next working day.' },
};

/** The same with one of the two ways in which a caller proves who they are. */
export const withProof: Readonly<Record<'code' | 'questions', CallToolsOfPhoneCall>> = {
  code: { ...allTools, verify: { sendCode: () => {}, checkCode: () => 'wrong' } },
  questions: { ...allTools, verify: { questions: [{ ask: 'Your postal code?', check: () => false }] } },
};

/** The tools that each phone call has, and `call`'s, whose three systems answer from memory. */
export const startAnsweredPhoneCall = (
  { contacts, conversation, leads, invoices }: ReturnType<typeof realisticAnswers> = realisticAnswers(),
  call: CallToolsOfPhoneCall = {},
): Toolbox => {
  const answers: Readonly<Record<string, unknown>> = {
    '/contacts/search': contacts,
    '/contacts/': contacts.data[0],
    '/companies/': { id: 'company_1', name: 'Northwind Bakery', plan: { name: 'Growth' }, monthly_spend: 480 },
    '/conversations/': conversation,
    '/services/data/v60.0/sobjects/Contact/search': { data: [] },
    '/services/data/v60.0/sobjects/Lead/search': leads,
    '/services/data/v60.0/sobjects/Task/': { id: '00T5e00000Abc10EAG', success: true, errors: [] },
    '/v1/customers/search': customer,
    '/v1/invoices': invoices,
  };
  /** Answers are found by the beginning of the path. */
  const transport: Transport = async ({ url }) => {
    const path = new URL(url).pathname;
    const [, body = {}] = Object.entries(answers).find(([start]) => path.startsWith(start)) ?? [];
    return { status: 200, headers: new Map([['content-type', 'application/json']]), text: JSON.stringify(body) };
  };
  const baseUrl = 'https://api.example.com';
  const authenticate = bearer(() => 'test-token');
  const integration = createIntegration({
    transport,
    messaging: { baseUrl, authenticate, platform: 'Acme', version: '2.11', adminId: 'admin_1' },
    crm: { baseUrl, authenticate, version: '60.0' },
    billing: {
      baseUrl,
      authenticate: apiKey('X-Api-Key', () => 'test-key'),
      version: { path: 'v1' },
    },
    payments: { below: 5000, confirm: false, refund: { below: 5000, confirm: false } },
  });
  return integration.startPhoneCall({
    callId: 'CA1',
    direction: 'Inbound',
    phone: '+14155550100',
    tools: {
      call: {
        teams: { Billing: 'team_3', Sales: 'team_4' },
        sendMessage: { templates: { payment_page: paymentPage(({ url }) => url) }, send: () => 'accepted' },
        ...call,
      },
    },
    payments: { card: () => 'pm_1', confirm: false },
  }).tools;
};
