import { expect, it } from 'vitest';
import { createIntegration, type Integration } from '../../src/integration.ts';
import { startRecordingServer } from '../support/recording-server.ts';
import { optionsAt } from './clients.ts';

const person = { phone: '+14155550100' };
const payment = { customer_id: 'cus_1', invoice_id: 'inv_1', amount: 10, payment_method_id: 'pm_1' };
const invoice = { id: 'inv_1', amount: 10 };

type Call = (integration: Integration) => Promise<unknown>;

const calls = {
  'billing.invoices.listOpen': ({ billing }) => billing.invoices.listOpen('cus_1').then(({ data }) => data),
  'billing.customers.find': ({ billing }) => billing.customers.find(person),
  'billing.customers.get': ({ billing }) => billing.customers.get('cus_1'),
  'billing.payments.create': ({ billing }) => billing.payments.create(payment),
  'messaging.contacts.search': ({ messaging }) =>
    messaging.contacts
      .search({ field: 'phone', operator: '=', value: '+14155550100' })
      .then(({ data }) => data.map(({ id }) => ({ id }))),
  'messaging.contacts.create': ({ messaging }) => messaging.contacts.create(person),
  'messaging.conversations.get': ({ messaging }) => messaging.conversations.get('v1').then((one) => ({ id: one?.id })),
  'messaging.conversations.tags.attach': ({ messaging }) => messaging.conversations.tags.attach('v1', { tagId: 't1' }),
  'crm.leads.search': ({ crm }) => crm.leads.search(person).then(({ data }) => data),
  'crm.leads.create': ({ crm }) => crm.leads.create({ LastName: 'Lee', Company: 'Lee Ltd' }),
  'crm.tasks.create': ({ crm }) => crm.tasks.create({ Subject: 'Call' }),
} as const satisfies Record<string, Call>;

it.each<[keyof typeof calls, unknown, unknown]>([
  ['billing.invoices.listOpen', { invoices: [invoice] }, [invoice]],
  ['billing.invoices.listOpen', { items: [invoice], next: null }, [invoice]],
  ['billing.invoices.listOpen', { data: { invoices: [invoice] }, meta: {} }, [invoice]],
  ['billing.invoices.listOpen', { results: [{ invoice }] }, [invoice]],
  ['billing.customers.find', { customer: { id: 'cus_1' } }, { id: 'cus_1' }],
  ['billing.customers.find', { customers: [{ id: 'cus_1' }] }, { id: 'cus_1' }],
  ['billing.customers.find', { data: { id: 'cus_1' } }, { id: 'cus_1' }],
  ['billing.customers.find', { customer: null }, undefined],
  ['billing.customers.find', { customer: {} }, undefined],
  ['billing.customers.find', { results: [], total: 0 }, undefined],
  ['billing.customers.find', { id: 'cus_1', items: [{ id: 'x' }] }, { id: 'cus_1', items: [{ id: 'x' }] }],
  ['billing.customers.get', { customer: { id: 'cus_1' } }, { id: 'cus_1' }],
  ['billing.payments.create', { payment: { status: 'completed' } }, { status: 'completed' }],
  [
    'billing.payments.create',
    { status: 'pending', data: { status: 'completed' } },
    expect.objectContaining({ status: 'pending' }),
  ],
  ['messaging.contacts.search', { contacts: [{ id: 'c1' }] }, [{ id: 'c1' }]],
  ['messaging.contacts.search', { results: [{ id: 'c1' }] }, [{ id: 'c1' }]],
  ['messaging.contacts.create', { contact: { id: 'c1' } }, { id: 'c1' }],
  ['messaging.conversations.get', { conversation: { id: 'v1' } }, { id: 'v1' }],
  ['messaging.conversations.tags.attach', { tag: { id: 't1' } }, { id: 't1' }],
  ['crm.leads.search', { leads: [{ Id: '00Q1' }] }, [{ Id: '00Q1' }]],
  ['crm.leads.search', { Lead: ['00Q1'] }, [{ Id: '00Q1' }]],
  ['crm.leads.search', { ids: ['00Q1'] }, [{ Id: '00Q1' }]],
  ['crm.leads.search', { records: [{ id: '00Q1' }], totalSize: 1, done: true }, [{ Id: '00Q1' }]],
  ['crm.leads.create', { lead: { id: '00Q1' } }, { id: '00Q1' }],
  ['crm.leads.create', { data: { Id: '00Q1' } }, { id: '00Q1' }],
  ['crm.tasks.create', { Task: { id: '00T1' } }, { id: '00T1' }],
])('%s reads %j', async (call, answer, expected) => {
  await using server = await startRecordingServer();
  server.answer({ json: answer });
  await using integration = createIntegration(optionsAt(server.baseUrl));

  expect(await calls[call](integration)).toEqual(expected);
});

it.each<[keyof typeof calls, unknown, string]>([
  ['billing.invoices.listOpen', { invoices: [invoice], data: [] }, 'must have one list, and has invoices and data'],
  ['billing.invoices.listOpen', { invoices: [], credit_notes: [] }, 'must have one list'],
  ['billing.invoices.listOpen', { id: 'inv_9', amount: 30, items: [invoice] }, 'must be a list'],
  ['billing.invoices.listOpen', { invoices: [], error: 'database down' }, 'reports errors'],
  ['billing.customers.find', { customer: { id: 'cus_1' }, data: { id: 'cus_2' } }, 'must have one record'],
  ['billing.customers.find', { customers: [{ id: 'cus_1' }, { id: 'cus_2' }] }, '2 records match'],
  ['billing.customers.find', { customers: [{ id: 'cus_1' }], total: 3 }, '3 records match'],
  ['billing.customers.find', { customers: [{ id: 'cus_1' }], has_more: true }, '1 or more records match'],
  ['billing.customers.find', { data: null, errors: [{ message: 'down' }] }, 'reports errors'],
  ['messaging.contacts.search', { companies: [{ id: 'co1' }] }, 'must be a list'],
  ['crm.leads.create', { task: { id: '00T1' } }, 'id'],
])('%s doesn’t guess what %j means', async (call, answer, problem) => {
  await using server = await startRecordingServer();
  server.answer({ json: answer });
  await using integration = createIntegration(optionsAt(server.baseUrl));

  await expect(calls[call](integration)).rejects.toMatchObject({
    code: expect.stringMatching(/^(?:unexpected_response|ambiguous)$/),
    message: expect.stringContaining(problem),
  });
});
