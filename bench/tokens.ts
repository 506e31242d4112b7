import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { createIntegration, type Transport } from 'voice-agent-integrations';
import { apiKey, bearer } from 'voice-agent-integrations/auth';
import { chat } from 'voice-agent-integrations/tools/openai';
import {
  contactsSearch,
  conversation,
  customer,
  leadsSearch,
  openInvoices,
} from '../test/support/realistic-answers.ts';

/** One answer of an API, and what a model is told of it; in tokens of o200k. */
export interface CountedAnswer {
  readonly answer: string;
  readonly tool: string;
  readonly before: number;
  readonly after: number;
}

export interface CountedDefinitions {
  readonly count: number;
  readonly neutral: number;
  readonly strict: number;
}

/** Runs the real tools over systems that answer from memory. */
export const countAnswers = async (): Promise<readonly CountedAnswer[]> => {
  const contacts = contactsSearch();
  const leads = leadsSearch();
  const invoices = openInvoices();
  const { tools } = startPhoneCall({
    '/contacts/search': contacts,
    '/contacts/': contacts.data[0],
    '/companies/': { id: 'company_1', name: 'Northwind Bakery', plan: { name: 'Growth' }, monthly_spend: 480 },
    '/conversations/': conversation(),
    '/services/data/v60.0/sobjects/Contact/search': { data: [] },
    '/services/data/v60.0/sobjects/Lead/search': leads,
    '/services/data/v60.0/sobjects/Task/': { id: '00T5e00000Abc10EAG' },
    '/v1/customers/search': customer,
    '/v1/invoices': invoices,
  });
  const count = async (answer: string, json: object, tool: string, args: object): Promise<CountedAnswer> => {
    const { text } = await tools.run(tool, args, { conversationIds: ['215468823'] });
    return { answer, tool, before: countTokens(JSON.stringify(json)), after: countTokens(text) };
  };
  return [
    await count('search with 5 contacts', contacts, 'identify_caller', {}),
    await count('the same', contacts, 'get_caller_context', {}),
    await count('conversation with 12 parts', conversation(), 'add_note', { text: 'Call back.' }),
    await count('search with 10 leads', leads, 'qualify_lead', { company: 'Northwind Bakery' }),
    await count('20 open invoices', invoices, 'lookup_customer_invoices', {}),
  ];
};

export const countDefinitions = (): CountedDefinitions => {
  const { tools } = startPhoneCall({});
  return {
    count: tools.definitions().length,
    neutral: countTokens(JSON.stringify(tools.definitions())),
    strict: countTokens(JSON.stringify(chat.tools(tools))),
  };
};

/** Answers are found by the beginning of the path. */
const startPhoneCall = (answers: Readonly<Record<string, unknown>>) => {
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
      maximumPayment: 5000,
    },
  });
  return integration.startPhoneCall({
    callId: 'CA1',
    direction: 'Inbound',
    phone: '+14155550100',
    tools: { call: { teams: { Billing: 'team_3', Sales: 'team_4' } } },
  });
};
