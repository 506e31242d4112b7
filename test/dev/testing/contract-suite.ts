import { describe, expect, it } from 'vitest';
import {
  type ApiName,
  createFakePlatform,
  type FakePlatform,
  type FakePlatformOptions,
  testCredentials,
} from '../../../src/dev/testing/index.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

/** Puts a platform where `fetch` can reach it. */
export type Start = (platform: FakePlatform) => Promise<Readonly<Record<ApiName, string>>>;

export interface Sent {
  readonly api: ApiName;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** `undefined` takes a header away that would be sent. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

export interface Answered {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

const usualHeaders: Readonly<Record<ApiName, Readonly<Record<string, string>>>> = {
  messaging: { authorization: `Bearer ${testCredentials.messaging}`, 'acme-version': '2.11' },
  crm: { authorization: `Bearer ${testCredentials.crm}` },
  billing: { 'x-api-key': testCredentials.billing },
};

/** Sends one request by `fetch`, with the credential and the version that are wanted unless told otherwise. */
export const send = async (
  baseUrls: Readonly<Record<ApiName, string>>,
  { api, method, path, body, headers = {} }: Sent,
): Promise<Answered> => {
  const all: Record<string, string | undefined> = {
    ...usualHeaders[api],
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  };
  const response = await fetch(`${baseUrls[api]}${path}`, {
    method,
    headers: Object.entries(all).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as [string, string]],
    ),
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
};

/** The moment at which every case happens. */
export const nowSeconds = Date.UTC(2026, 0, 1) / 1000;
const nowText = '2026-01-01T00:00:00.000Z';

export const makePlatform = (options: FakePlatformOptions = {}): FakePlatform => {
  createVirtualClock();
  const platform = createFakePlatform(options);
  const { messaging, crm, billing } = platform;
  messaging.addCompany({
    id: 'acme',
    name: 'Acme',
    plan: 'Gold',
    monthly_spend: 900,
    custom_attributes: { health: 'good' },
  });
  messaging.addTag({ id: 'vip', name: 'VIP' });
  messaging.addTeam({ id: 'support', name: 'Support' });
  messaging.addContact({ id: 'ann', phone: '+14155550100', email: 'ann@example.com', company_ids: ['acme'] });
  messaging.addConversation({ id: 'talk', contact_id: 'ann', body: 'Hello' });
  crm.addLead({ Id: 'lead_1', LastName: "O'Hara", Company: 'Acme', Email: 'ann@example.com', Phone: '+14155550100' });
  crm.addContact({ Id: 'person_1', LastName: 'Bo', MobilePhone: '+14155550111' });
  billing.addCustomer({ id: 'cus_1', name: 'Ann', phone: '+14155550100', email: 'ann@example.com' });
  billing.addCustomer({ id: 'cus_2', name: 'Bo' });
  billing.addInvoice({ id: 'inv_1', customer_id: 'cus_1', amount: 120.5, due_date: '2026-02-01' });
  billing.addInvoice({ id: 'inv_paid', customer_id: 'cus_1', amount: 10, status: 'paid' });
  return platform;
};

const contact = {
  type: 'contact',
  id: 'ann',
  role: 'user',
  phone: '+14155550100',
  email: 'ann@example.com',
  name: null,
  external_id: null,
  owner_id: null,
  custom_attributes: {},
  created_at: nowSeconds,
  updated_at: nowSeconds,
  tags: { type: 'list', data: [] },
  companies: { type: 'list', data: [{ type: 'company', id: 'acme' }] },
};

const company = {
  type: 'company',
  id: 'acme',
  name: 'Acme',
  plan: { type: 'plan', name: 'Gold' },
  monthly_spend: 900,
  size: null,
  website: null,
  industry: null,
  custom_attributes: { health: 'good' },
  created_at: nowSeconds,
  updated_at: nowSeconds,
};

const part = (type: string, more: object) => ({
  type: 'conversation_part',
  message_type: type,
  part_type: type,
  admin_id: 'admin_1',
  id: 'part_1',
  body: null,
  author: { type: 'admin', id: 'admin_1' },
  assigned_to: null,
  created_at: nowSeconds,
  ...more,
});

const conversation = (parts: readonly object[] = [], more: object = {}) => ({
  type: 'conversation',
  id: 'talk',
  state: 'open',
  open: true,
  admin_assignee_id: null,
  team_assignee_id: null,
  snoozed_until: null,
  title: null,
  custom_attributes: {},
  created_at: nowSeconds,
  updated_at: nowSeconds,
  source: { type: 'conversation', body: 'Hello', author: { type: 'contact', id: 'ann' } },
  contacts: { type: 'contact.list', contacts: [{ type: 'contact', id: 'ann' }] },
  tags: { type: 'tag.list', tags: [] },
  conversation_parts: {
    type: 'conversation_part.list',
    conversation_parts: parts,
    total_count: parts.length,
  },
  ...more,
});

const tag = { type: 'tag', id: 'vip', name: 'VIP' };
const talk = '/conversations/talk';
const sobjects = '/services/data/v60.0/sobjects';
const payment = {
  customer_id: 'cus_1',
  invoice_id: 'inv_1',
  amount: 120.5,
  payment_method_id: 'pm_1',
  idempotency_key: 'key_1',
};

const refund = {
  customer_id: 'cus_1',
  invoice_id: 'inv_1',
  payment_id: 'pay_1',
  amount: 20,
  idempotency_key: 'key_1',
};

interface Case {
  readonly name: string;
  readonly before?: (platform: FakePlatform) => void;
  readonly request: Sent;
  readonly status: number;
  readonly body: unknown;
}

const messaging = (method: string, path: string, body?: unknown): Sent => ({ api: 'messaging', method, path, body });
const crm = (method: string, path: string, body?: unknown): Sent => ({
  api: 'crm',
  method,
  path: `${sobjects}${path}`,
  body,
});
const billing = (method: string, path: string, body?: unknown): Sent => ({
  api: 'billing',
  method,
  path: `/v1${path}`,
  body,
});

/** One answered request per endpoint. */
export const answeredCases: readonly Case[] = [
  { name: 'gives a contact', request: messaging('GET', '/contacts/ann'), status: 200, body: contact },
  {
    name: 'creates a contact',
    request: messaging('POST', '/contacts', { phone: '+14155550122', custom_attributes: { tier: 1 } }),
    status: 200,
    body: {
      ...contact,
      id: 'contact_1',
      role: 'lead',
      phone: '+14155550122',
      email: null,
      custom_attributes: { tier: 1 },
      companies: { type: 'list', data: [] },
    },
  },
  {
    name: 'updates a contact',
    request: messaging('PUT', '/contacts/ann', { name: 'Ann', custom_attributes: { vip: true } }),
    status: 200,
    body: { ...contact, name: 'Ann', custom_attributes: { vip: true } },
  },
  {
    name: 'finds contacts by phone',
    request: messaging('POST', '/contacts/search', { query: { field: 'phone', operator: '=', value: '+14155550100' } }),
    status: 200,
    body: { data: [contact], total_count: 1 },
  },
  {
    name: 'finds contacts by e-mail in any case',
    request: messaging('POST', '/contacts/search', {
      query: { field: 'email', operator: '=', value: 'ANN@example.com' },
    }),
    status: 200,
    body: { data: [contact], total_count: 1 },
  },
  {
    name: 'finds no contact',
    request: messaging('POST', '/contacts/search', { query: { field: 'phone', operator: '=', value: '+19995550100' } }),
    status: 200,
    body: { data: [], total_count: 0 },
  },
  {
    name: 'attaches a tag to a contact',
    request: messaging('POST', '/contacts/ann/tags', { id: 'vip' }),
    status: 200,
    body: tag,
  },
  {
    name: 'lists the tags of a contact',
    before: ({ messaging }) => messaging.addContact({ id: 'bo', tag_ids: ['vip'] }),
    request: messaging('GET', '/contacts/bo/tags'),
    status: 200,
    body: { data: [tag], total_count: 1 },
  },
  {
    name: 'detaches a tag from a contact',
    before: ({ messaging }) => messaging.addContact({ id: 'bo', tag_ids: ['vip'] }),
    request: messaging('DELETE', '/contacts/bo/tags/vip'),
    status: 200,
    body: tag,
  },
  {
    name: 'lists the companies of a contact',
    request: messaging('GET', '/contacts/ann/companies'),
    status: 200,
    body: { data: [company], total_count: 1 },
  },
  { name: 'gives a company', request: messaging('GET', '/companies/acme'), status: 200, body: company },
  {
    name: 'updates a company',
    request: messaging('PUT', '/companies/acme', { plan: 'Platinum', custom_attributes: { health: 'at risk' } }),
    status: 200,
    body: { ...company, plan: { type: 'plan', name: 'Platinum' }, custom_attributes: { health: 'at risk' } },
  },
  { name: 'gives a conversation', request: messaging('GET', talk), status: 200, body: conversation() },
  {
    name: 'creates a conversation',
    request: messaging('POST', '/conversations', { from: { type: 'contact', id: 'ann' }, body: 'Hello' }),
    status: 200,
    body: conversation([], { id: 'conversation_1' }),
  },
  {
    name: 'replies to the customer',
    request: messaging('POST', `${talk}/reply`, {
      message_type: 'comment',
      type: 'admin',
      admin_id: 'admin_1',
      body: 'Hi',
    }),
    status: 200,
    body: conversation([part('comment', { body: 'Hi' })]),
  },
  {
    name: 'adds an internal note',
    request: messaging('POST', `${talk}/parts`, { message_type: 'note', admin_id: 'admin_1', body: 'Angry' }),
    status: 200,
    body: conversation([part('note', { body: 'Angry' })]),
  },
  {
    name: 'hands a conversation to a team',
    request: messaging('POST', `${talk}/parts`, {
      message_type: 'assignment',
      type: 'team',
      admin_id: 'admin_1',
      assignee_id: 'support',
    }),
    status: 200,
    body: conversation([part('assignment', { assigned_to: { type: 'team', id: 'support' } })], {
      team_assignee_id: 'support',
    }),
  },
  {
    name: 'closes a conversation',
    request: messaging('POST', `${talk}/parts`, { message_type: 'close', type: 'admin', admin_id: 'admin_1' }),
    status: 200,
    body: conversation([part('close', {})], { state: 'closed', open: false }),
  },
  {
    name: 'attaches a tag to a conversation',
    request: messaging('POST', `${talk}/tags`, { id: 'vip', admin_id: 'admin_1' }),
    status: 200,
    body: tag,
  },
  {
    name: 'detaches a tag from a conversation',
    before: ({ messaging }) => messaging.addConversation({ id: 'tagged', contact_id: 'ann', tag_ids: ['vip'] }),
    request: messaging('DELETE', '/conversations/tagged/tags/vip', { admin_id: 'admin_1' }),
    status: 200,
    body: tag,
  },
  { name: 'lists the tags', request: messaging('GET', '/tags'), status: 200, body: { data: [tag], total_count: 1 } },
  {
    name: 'lists the admins',
    before: ({ messaging }) => messaging.addAdmin({ id: 'admin_7', name: 'Jo', email: 'jo@example.com' }),
    request: messaging('GET', '/admins'),
    status: 200,
    body: {
      data: [
        { type: 'admin', id: 'admin_1', name: 'Voice Agent', email: null, away_mode_enabled: false },
        { type: 'admin', id: 'admin_7', name: 'Jo', email: 'jo@example.com', away_mode_enabled: false },
      ],
      total_count: 2,
    },
  },
  {
    name: 'says whom the credential belongs to',
    request: messaging('GET', '/me'),
    status: 200,
    body: { type: 'admin', id: 'admin_1', name: 'Voice Agent', email: null, away_mode_enabled: false },
  },
  {
    name: 'lists the teams',
    request: messaging('GET', '/teams'),
    status: 200,
    body: { data: [{ type: 'team', id: 'support', name: 'Support', admin_ids: [] }], total_count: 1 },
  },

  ...(
    [
      [
        'Lead',
        { LastName: 'Lee', Company: 'Lee Ltd', Expected_Close__c: '2026-03-01', Lead_Score__c: 7.5 },
        '00Q000000000001',
      ],
      ['Task', { Subject: 'Call', WhoId: 'lead_1', CallType: 'Inbound', CallDurationInSeconds: 60 }, '00T000000000001'],
      ['Contact', { LastName: 'Lee' }, '003000000000001'],
      ['Account', { Name: 'Lee Ltd' }, '001000000000001'],
      ['Opportunity', { Name: 'Deal', StageName: 'New', CloseDate: '2026-03-01' }, '006000000000001'],
      ['Case', { Subject: 'Broken', ContactId: 'person_1' }, '500000000000001'],
      [
        'Event',
        { StartDateTime: '2026-03-01T09:00:00Z', EndDateTime: '2026-03-01T10:00:00Z', IsAllDayEvent: false },
        '00U000000000001',
      ],
    ] as const
  ).map(([object, fields, id]) => ({
    name: `creates a ${object}`,
    request: crm('POST', `/${object}/`, fields),
    status: 201,
    body: { id, success: true, errors: [] },
  })),
  {
    name: 'finds leads by a query',
    request: crm('POST', '/Lead/search', {
      q: "SELECT Id, LastName FROM Lead WHERE (Email = 'ann@example.com' OR Phone = '+1') AND IsConverted = false",
      limit: 1,
    }),
    status: 200,
    body: { data: [{ attributes: { type: 'Lead' }, Id: 'lead_1', LastName: "O'Hara" }], total: 1 },
  },
  {
    name: 'finds contacts by a query',
    request: crm('POST', '/Contact/search', { q: "SELECT Id FROM Contact WHERE MobilePhone = '+14155550111' LIMIT 1" }),
    status: 200,
    body: { data: [{ attributes: { type: 'Contact' }, Id: 'person_1' }], total: 1 },
  },
  ...(['Lead', 'Task', 'Contact', 'Account', 'Opportunity', 'Case', 'Event'] as const).flatMap((object): Case[] => {
    const add = ({ crm }: FakePlatform) => crm[`add${object}`]({ Id: 'it', Description: 'Old' });
    return [
      {
        name: `finds a ${object}`,
        before: add,
        request: crm('POST', `/${object}/search`, { q: `SELECT Id FROM ${object} WHERE Id = 'it'`, limit: 1 }),
        status: 200,
        body: { data: [{ attributes: { type: object }, Id: 'it' }], total: 1 },
      },
      {
        name: `updates a ${object}, and answers nothing`,
        before: add,
        request: crm('PATCH', `/${object}/it`, { Description: 'New' }),
        status: 204,
        body: undefined,
      },
      {
        name: `gives a ${object}`,
        before: add,
        request: crm('GET', `/${object}/it`),
        status: 200,
        body: expect.objectContaining({ attributes: { type: object }, Id: 'it', Description: 'Old' }),
      },
      {
        name: `deletes a ${object}, and answers nothing`,
        before: add,
        request: crm('DELETE', `/${object}/it`),
        status: 204,
        body: undefined,
      },
    ];
  }),
  {
    name: 'gives a lead',
    request: crm('GET', '/Lead/lead_1'),
    status: 200,
    body: {
      attributes: { type: 'Lead' },
      Id: 'lead_1',
      LastName: "O'Hara",
      Company: 'Acme',
      Email: 'ann@example.com',
      Phone: '+14155550100',
      OwnerId: '005000000000001',
      CreatedDate: nowText,
      LastModifiedDate: nowText,
      IsConverted: false,
      ConvertedAccountId: null,
      ConvertedContactId: null,
      ConvertedOpportunityId: null,
    },
  },

  {
    name: 'gives a customer',
    request: billing('GET', '/customers/cus_1'),
    status: 200,
    body: { id: 'cus_1', name: 'Ann', phone: '+14155550100', email: 'ann@example.com' },
  },
  {
    name: 'finds a customer by phone',
    request: billing('GET', '/customers/search?phone=%2B14155550100'),
    status: 200,
    body: { id: 'cus_1', name: 'Ann', phone: '+14155550100', email: 'ann@example.com' },
  },
  {
    name: 'lists the open invoices of a customer',
    request: billing('GET', '/invoices?customer_id=cus_1&status=open'),
    status: 200,
    body: {
      data: [
        { id: 'inv_1', customer_id: 'cus_1', amount: 120.5, amount_due: 120.5, due_date: '2026-02-01', status: 'open' },
      ],
      total: 1,
    },
  },
  {
    name: 'takes a payment',
    request: billing('POST', '/payments', payment),
    status: 201,
    body: { id: 'payment_1', status: 'completed', confirmation_number: 'CONF-1', error_message: null },
  },
  {
    name: 'declines a payment',
    request: billing('POST', '/payments', { ...payment, payment_method_id: 'pm_declined' }),
    status: 201,
    body: { id: 'payment_1', status: 'failed', confirmation_number: null, error_message: 'The card was declined' },
  },
  {
    name: 'leaves a payment pending',
    before: ({ billing }) => billing.nextPayment('pending'),
    request: billing('POST', '/payments', payment),
    status: 201,
    body: { id: 'payment_1', status: 'pending', confirmation_number: null, error_message: null },
  },
  {
    name: 'lists the payments of an invoice with their refunds',
    before: ({ billing }) => {
      billing.addPayment({ id: 'pay_1', invoice_id: 'inv_1', created_at: '2026-03-01T12:00:00.000Z' });
      billing.addRefund({ payment_id: 'pay_1', amount: 20, status: 'pending' });
    },
    request: billing('GET', '/payments?customer_id=cus_1&invoice_id=inv_1'),
    status: 200,
    body: {
      data: [
        {
          id: 'pay_1',
          customer_id: 'cus_1',
          invoice_id: 'inv_1',
          amount: 120.5,
          status: 'completed',
          confirmation_number: 'CONF-pay_1',
          error_message: null,
          created_at: '2026-03-01T12:00:00.000Z',
          amount_refunded: 20,
          refunds: [
            {
              id: 'refund_1',
              payment_id: 'pay_1',
              amount: 20,
              status: 'pending',
              idempotency_key: '',
              error_message: null,
            },
          ],
        },
      ],
      total: 1,
    },
  },
  {
    name: 'gives a part of a payment back',
    before: ({ billing }) => void billing.addPayment({ id: 'pay_1', invoice_id: 'inv_1' }),
    request: billing('POST', '/refunds', refund),
    status: 201,
    body: {
      id: 'refund_1',
      payment_id: 'pay_1',
      amount: 20,
      status: 'completed',
      idempotency_key: 'key_1',
      error_message: null,
    },
  },
];

const messagingError = (code: string, message: string, field?: string) => ({
  type: 'error.list',
  request_id: 'req_1',
  errors: [{ code, message, ...(field === undefined ? {} : { field }) }],
});
const crmError = (errorCode: string, message: string, field?: string) => [
  { message, errorCode, ...(field === undefined ? {} : { fields: [field] }) },
];
const billingError = (code: string, message: string, field?: string) => ({
  error: { code, message, ...(field === undefined ? {} : { field }) },
  request_id: 'req_1',
});
const without = (request: Sent, header: string): Sent => ({
  ...request,
  headers: { ...request.headers, [header]: undefined },
});
const withHeader = (request: Sent, header: string, value: string): Sent => ({
  ...request,
  headers: { ...request.headers, [header]: value },
});

const reply = { message_type: 'comment', type: 'admin', admin_id: 'admin_1', body: 'Hi' };
const note = { message_type: 'note', admin_id: 'admin_1', body: 'Angry' };
const getAnn = messaging('GET', '/contacts/ann');
const newLead = { LastName: 'Lee', Company: 'Lee Ltd' };

/** Requests that the real APIs would refuse. */
const refusedCases: readonly Case[] = [
  // Credential and version
  {
    name: 'no credential',
    request: without(getAnn, 'authorization'),
    status: 401,
    body: messagingError('unauthorized', 'Credential missing'),
  },
  {
    name: 'a wrong credential',
    request: withHeader(getAnn, 'authorization', 'Bearer other'),
    status: 401,
    body: messagingError('unauthorized', 'Credential not accepted'),
  },
  {
    name: 'no credential at the CRM',
    request: without(crm('GET', '/Lead/lead_1'), 'authorization'),
    status: 401,
    body: crmError('INVALID_SESSION_ID', 'Credential missing'),
  },
  {
    name: 'a wrong key at the billing API',
    request: withHeader(billing('GET', '/customers/cus_1'), 'x-api-key', 'other'),
    status: 401,
    body: billingError('unauthorized', 'Credential not accepted'),
  },
  {
    name: 'no version header',
    request: without(getAnn, 'acme-version'),
    status: 400,
    body: messagingError('version_invalid', 'Acme-Version is missing', 'Acme-Version'),
  },
  {
    name: 'another version in the header',
    request: withHeader(getAnn, 'acme-version', '1.0'),
    status: 400,
    body: messagingError(
      'version_invalid',
      'Acme-Version names a version that this API does not speak',
      'Acme-Version',
    ),
  },
  {
    name: 'another version in the path of the CRM',
    request: { ...crm('POST', '/Lead/', newLead), path: '/services/data/v59.0/sobjects/Lead/' },
    status: 404,
    body: crmError('NOT_FOUND', 'No such resource'),
  },
  // Path and method
  {
    name: 'an unknown path',
    request: messaging('GET', '/calls'),
    status: 404,
    body: messagingError('not_found', 'No such resource'),
  },
  {
    name: 'a path with an escape that is none',
    request: messaging('GET', '/contacts/%zz'),
    status: 404,
    body: messagingError('not_found', 'No such resource'),
  },
  {
    name: 'a wrong method',
    request: messaging('PATCH', '/contacts/ann', { name: 'Ann' }),
    status: 405,
    body: messagingError('method_not_allowed', 'PATCH is not allowed here'),
  },
  // Body
  {
    name: 'a body that is not called JSON',
    request: withHeader(messaging('POST', '/contacts', { phone: '+14155550122' }), 'content-type', 'text/plain'),
    status: 415,
    body: messagingError('media_type_not_acceptable', 'The body must be application/json'),
  },
  {
    name: 'a body that is no JSON',
    request: messaging('POST', '/contacts', '{"phone":'),
    status: 400,
    body: messagingError('bad_request', 'The body must be a JSON object'),
  },
  {
    name: 'a body that is a list',
    request: crm('POST', '/Lead/', [newLead]),
    status: 400,
    body: crmError('JSON_PARSER_ERROR', 'The body must be a JSON object'),
  },
  // Contacts
  {
    name: 'an unknown contact',
    request: messaging('GET', '/contacts/missing'),
    status: 404,
    body: messagingError('not_found', 'No such contact'),
  },
  {
    name: 'a contact without anything to know it by',
    request: messaging('POST', '/contacts', { name: 'Ann' }),
    status: 400,
    body: messagingError('parameter_missing', 'one of phone, email and external_id is required'),
  },
  {
    name: 'a contact with an e-mail that is taken',
    request: messaging('POST', '/contacts', { email: 'Ann@example.com' }),
    status: 409,
    body: messagingError('conflict', 'A contact matching those details already exists with id=ann', 'email'),
  },
  {
    name: 'a phone number that is not E.164',
    request: messaging('PUT', '/contacts/ann', { phone: '415-555-0100' }),
    status: 400,
    body: messagingError('parameter_invalid', 'phone must be a phone number in E.164 format', 'phone'),
  },
  {
    name: 'a custom attribute that is an object',
    request: messaging('PUT', '/contacts/ann', { custom_attributes: { nested: {} } }),
    status: 400,
    body: messagingError(
      'parameter_invalid',
      'custom_attributes must be an object of strings, numbers and booleans',
      'custom_attributes',
    ),
  },
  {
    name: 'a search with an operator that does not exist',
    request: messaging('POST', '/contacts/search', { query: { field: 'phone', operator: 'is', value: '+1' } }),
    status: 400,
    body: messagingError('parameter_invalid', 'query.operator must be one of = != ~ !~ ^ $', 'query.operator'),
  },
  {
    name: 'a search of a field that cannot be searched',
    request: messaging('POST', '/contacts/search', { query: { field: 'shoe', operator: '=', value: '44' } }),
    status: 400,
    body: messagingError('parameter_invalid', 'query.field cannot be searched', 'query.field'),
  },
  {
    name: 'an unknown tag',
    request: messaging('POST', '/contacts/ann/tags', { id: 'none' }),
    status: 404,
    body: messagingError('tag_not_found', 'No such tag'),
  },
  {
    name: 'a tag that is not attached',
    request: messaging('DELETE', '/contacts/ann/tags/vip'),
    status: 404,
    body: messagingError('tag_not_found', 'No such tag'),
  },
  {
    name: 'an unknown company',
    request: messaging('GET', '/companies/none'),
    status: 404,
    body: messagingError('company_not_found', 'No such company'),
  },
  {
    name: 'a field with the name of something inherited',
    request: messaging('PUT', '/contacts/ann', '{"constructor":"x","__proto__":"y"}'),
    status: 400,
    body: messagingError('parameter_invalid', 'constructor is not a field of this request', 'constructor'),
  },
  {
    name: 'a conversation from an admin',
    request: messaging('POST', '/conversations', { from: { type: 'admin', id: 'admin_1' }, body: 'Hello' }),
    status: 400,
    body: messagingError('parameter_invalid', 'from.type must be "contact"', 'from.type'),
  },
  {
    name: 'a note without message_type',
    request: messaging('POST', `${talk}/parts`, { admin_id: 'admin_1', body: 'Angry' }),
    status: 400,
    body: messagingError('parameter_missing', 'message_type is required', 'message_type'),
  },
  {
    name: 'a comment where notes go',
    request: messaging('POST', `${talk}/parts`, reply),
    status: 400,
    body: messagingError('parameter_invalid', 'message_type is not one that this path takes', 'message_type'),
  },
  {
    name: 'a note where replies go',
    request: messaging('POST', `${talk}/reply`, { ...reply, message_type: 'note' }),
    status: 400,
    body: messagingError('parameter_invalid', 'message_type is not one that this path takes', 'message_type'),
  },
  {
    name: 'a note without an admin',
    request: messaging('POST', `${talk}/parts`, { ...note, admin_id: undefined }),
    status: 400,
    body: messagingError('parameter_missing', 'admin_id is required', 'admin_id'),
  },
  {
    name: 'an unknown admin',
    request: messaging('POST', `${talk}/parts`, { ...note, admin_id: 'admin_9' }),
    status: 404,
    body: messagingError('admin_not_found', 'No such admin'),
  },
  {
    name: 'a reply that is not of an admin',
    request: messaging('POST', `${talk}/reply`, { ...reply, type: 'user' }),
    status: 400,
    body: messagingError('parameter_invalid', 'type must be "admin"', 'type'),
  },
  {
    name: 'an unknown team',
    request: messaging('POST', `${talk}/parts`, {
      message_type: 'assignment',
      type: 'team',
      admin_id: 'admin_1',
      assignee_id: 'none',
    }),
    status: 404,
    body: messagingError('assignee_not_found', 'No such assignee'),
  },
  // CRM
  {
    name: 'a lead without a company',
    request: crm('POST', '/Lead/', { LastName: 'Lee' }),
    status: 400,
    body: crmError('REQUIRED_FIELD_MISSING', 'Company is required', 'Company'),
  },
  {
    name: 'a lead field that does not exist',
    request: crm('POST', '/Lead/', { ...newLead, Mail: 'a@b.co' }),
    status: 400,
    body: crmError('INVALID_FIELD', 'Mail is not a field of this request', 'Mail'),
  },
  {
    name: 'a date that no calendar has',
    request: crm('POST', '/Lead/', { ...newLead, Expected_Close__c: '2026-02-30' }),
    status: 400,
    body: crmError('JSON_PARSER_ERROR', 'Expected_Close__c must be a date, YYYY-MM-DD', 'Expected_Close__c'),
  },
  {
    name: 'a description that is too long',
    request: crm('POST', '/Lead/', { ...newLead, Description: 'x'.repeat(32_001) }),
    status: 400,
    body: crmError('STRING_TOO_LONG', 'Description: data value too large (max length=32000)', 'Description'),
  },
  {
    name: 'a task about an unknown person',
    request: crm('POST', '/Task/', { Subject: 'Call', WhoId: 'missing' }),
    status: 400,
    body: crmError('INVALID_CROSS_REFERENCE_KEY', 'WhoId: invalid cross reference id', 'WhoId'),
  },
  {
    name: 'a call type that is not in the list',
    request: crm('POST', '/Task/', { Subject: 'Call', CallType: 'inbound' }),
    status: 400,
    body: crmError(
      'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST',
      'CallType: bad value for restricted picklist',
      'CallType',
    ),
  },
  {
    name: 'an unknown lead',
    request: crm('PATCH', '/Lead/none', { Status: 'Qualified' }),
    status: 404,
    body: crmError('NOT_FOUND', 'The requested resource does not exist'),
  },
  {
    name: 'a change of a converted lead',
    before: ({ crm }) => crm.convertLead('lead_1'),
    request: crm('PATCH', '/Lead/lead_1', { Status: 'Qualified' }),
    status: 400,
    body: crmError('CANNOT_UPDATE_CONVERTED_LEAD', 'cannot reference converted lead'),
  },
  {
    name: 'emptying a field that is required',
    request: crm('PATCH', '/Lead/lead_1', { LastName: null }),
    status: 400,
    body: crmError('REQUIRED_FIELD_MISSING', 'LastName is required', 'LastName'),
  },
  {
    name: 'a query that does not end',
    request: crm('POST', '/Lead/search', { q: "SELECT Id FROM Lead WHERE Email = 'ann", limit: 1 }),
    status: 400,
    body: crmError('MALFORMED_QUERY', 'a string that does not end', 'q'),
  },
  {
    name: 'a query about another object',
    request: crm('POST', '/Lead/search', { q: 'SELECT Id FROM Contact' }),
    status: 400,
    body: crmError('INVALID_TYPE', 'the query is not about Lead'),
  },
  {
    name: 'a query for a field that does not exist',
    request: crm('POST', '/Lead/search', { q: 'SELECT Id, Mail FROM Lead' }),
    status: 400,
    body: crmError('INVALID_FIELD', "No such column 'Mail' on entity 'Lead'", 'Mail'),
  },
  {
    name: 'a limit of nothing',
    request: crm('POST', '/Lead/search', { q: 'SELECT Id FROM Lead', limit: 0 }),
    status: 400,
    body: crmError('INVALID_FIELD', 'limit must be at least 1', 'limit'),
  },
  // Billing
  {
    name: 'an unknown customer',
    request: billing('GET', '/customers/none'),
    status: 404,
    body: billingError('customer_not_found', 'No such customer', 'customer_id'),
  },
  {
    name: 'a search that finds no customer',
    request: billing('GET', '/customers/search?email=unknown%40example.com'),
    status: 404,
    body: billingError('customer_not_found', 'No customer matches'),
  },
  {
    name: 'a search without a phone or an e-mail',
    request: billing('GET', '/customers/search'),
    status: 400,
    body: billingError('missing_field', 'phone or email is required', 'phone'),
  },
  {
    name: 'a plus that was not encoded',
    request: billing('GET', '/customers/search?phone=+14155550100'),
    status: 400,
    body: billingError('invalid_field', 'phone must be a phone number in E.164 format', 'phone'),
  },
  {
    name: 'an invoice status that does not exist',
    request: billing('GET', '/invoices?customer_id=cus_1&status=due'),
    status: 400,
    body: billingError('invalid_field', 'status must be open, paid or void', 'status'),
  },
  {
    name: 'a payment without an idempotency key',
    request: billing('POST', '/payments', { ...payment, idempotency_key: undefined }),
    status: 400,
    body: billingError('missing_field', 'idempotency_key is required', 'idempotency_key'),
  },
  {
    name: 'an amount of nothing',
    request: billing('POST', '/payments', { ...payment, amount: 0 }),
    status: 422,
    body: billingError('amount_invalid', 'amount must be greater than 0', 'amount'),
  },
  {
    name: 'a fraction of a cent',
    request: billing('POST', '/payments', { ...payment, amount: 1.005 }),
    status: 422,
    body: billingError('amount_invalid', 'amount must have at most two decimals', 'amount'),
  },
  {
    name: 'more than what is due',
    request: billing('POST', '/payments', { ...payment, amount: 120.51 }),
    status: 422,
    body: billingError('amount_exceeds_due', 'amount is more than what is due', 'amount'),
  },
  {
    name: 'paying what is paid',
    request: billing('POST', '/payments', { ...payment, invoice_id: 'inv_paid', amount: 10 }),
    status: 409,
    body: billingError('invoice_not_open', 'The invoice is paid', 'invoice_id'),
  },
  {
    name: 'paying for another customer',
    request: billing('POST', '/payments', { ...payment, customer_id: 'cus_2' }),
    status: 422,
    body: billingError('invoice_of_other_customer', 'The invoice is not of this customer', 'invoice_id'),
  },
  {
    name: 'an unknown invoice',
    request: billing('POST', '/payments', { ...payment, invoice_id: 'none' }),
    status: 404,
    body: billingError('invoice_not_found', 'No such invoice', 'invoice_id'),
  },
  {
    name: 'giving back a payment that is not there',
    request: billing('POST', '/refunds', refund),
    status: 404,
    body: billingError('payment_not_found', 'No such payment', 'payment_id'),
  },
  {
    name: 'giving back more than is left',
    before: ({ billing }) => {
      billing.addPayment({ id: 'pay_1', invoice_id: 'inv_1' });
      billing.addRefund({ payment_id: 'pay_1', amount: 100.51 });
    },
    request: billing('POST', '/refunds', refund),
    status: 422,
    body: billingError('refund_exceeds_payment', 'amount is more than what is left of the payment', 'amount'),
  },
  {
    name: 'giving back a payment that is pending',
    before: ({ billing }) => void billing.addPayment({ id: 'pay_1', invoice_id: 'inv_1', status: 'pending' }),
    request: billing('POST', '/refunds', refund),
    status: 409,
    body: billingError('payment_not_completed', 'The payment is pending', 'payment_id'),
  },
  {
    name: 'two idempotency keys that differ',
    request: withHeader(billing('POST', '/payments', payment), 'idempotency-key', 'key_2'),
    status: 400,
    body: billingError('idempotency_key_mismatch', 'The idempotency keys in header and body differ', 'idempotency_key'),
  },
];

/** The contract, wherever it is served. */
export const describeContract = (start: Start): void => {
  // The objects of the CRM share their code; an appointment has fields of its own.
  describeAnswers(start, (name) => !/ (?:Task|Contact|Account|Opportunity|Case)\b/.test(name));

  describe('refuses, and changes nothing', () => {
    it.each(refusedCases)('$name', async ({ before, request, status, body }) => {
      await using platform = makePlatform();
      before?.(platform);
      const stateOf = () => JSON.stringify([platform.messaging, platform.crm, platform.billing]);
      const stateBefore = stateOf();

      const answered = await send(await start(platform), request);

      expect({ status: answered.status, body: answered.body }).toEqual({ status, body });
      expect(stateOf()).toBe(stateBefore);
      expect(platform.requests.map(({ executed }) => executed)).toEqual([false]);
    });
  });
};

/** What the platform does where nothing is wrong. */
export const describeAnswers = (start: Start, isIncluded: (name: string) => boolean = () => true): void => {
  describe('answers', () => {
    it.each(answeredCases.filter(({ name }) => isIncluded(name)))(
      '$name',
      async ({ before, request, status, body }) => {
        await using platform = makePlatform();
        before?.(platform);

        const answered = await send(await start(platform), request);

        expect({ status: answered.status, body: answered.body }).toEqual({ status, body });
      },
    );
  });
};
