import { createIntegration, type HttpRequest, type Transport } from 'voice-agent-integrations';
import { apiKey, bearer } from 'voice-agent-integrations/auth';
import { paymentPage } from 'voice-agent-integrations/tools';
import { heading, table } from './report.ts';

/** The number of records in an answer. */
const sizes = [10, 100, 1_000] as const;
type Size = (typeof sizes)[number];

/** CPU at 1,000 to that at 100. Linear is 10, and the rest is for a busy machine. */
const gateRatio = 13;

/** One method, step or tool, over APIs whose answers have so many records. */
export interface Measured {
  readonly name: string;
  readonly at: (size: Size) => () => Promise<unknown>;
}

/** Measures each method, step and tool at 10, 100 and 1,000 records. */
export interface Growth {
  readonly name: string;
  /** Of one call, by the number of records. */
  readonly cpuUs: Readonly<Partial<Record<Size, number>>>;
  /** The median of the ratios of all rounds: at 1,000 records, to 100. */
  readonly ratio: number;
  /** The ratio that fails. */
  readonly gate: number;
}

/** Answered with one record that has so many fields. */
const getsOneRecord = /^(?:crm|messaging|billing)\.(?!.*\.(?:list|search|find(?!OrCreate)|query)\w*$)/;

export const measureGrowth = async (
  all: readonly Measured[],
  { short }: { readonly short: boolean },
): Promise<readonly Growth[]> => {
  const texts = Object.fromEntries(sizes.map((size) => [size, JSON.stringify(wholeRecord('crm', size))]));
  const parse = { name: 'JSON.parse', at: (size: Size) => async () => JSON.parse(texts[size] ?? '') as unknown };
  // V8 makes a table of an object with many fields, so that parsing it costs more than linear.
  const { ratio: parsing } = await growthOf(parse, short, gateRatio, 5);
  const gateOf = ({ name }: Measured) => (getsOneRecord.test(name) ? Math.max(gateRatio, parsing) : gateRatio);
  const found = new Map<Measured, Growth>();
  for (const measured of all) found.set(measured, await growthOf(measured, short, gateOf(measured)));
  // A ratio above the gate is measured again after all others: a machine that was busy for some seconds is no fault of the code.
  for (let again = 2; again <= 5; again += 1)
    for (const [measured, best] of found) {
      if (best.ratio <= best.gate) continue;
      const { ratio, ...rest } = await growthOf(measured, short, best.gate, again);
      if (ratio < best.ratio) found.set(measured, { ...rest, ratio });
    }
  return [...found.values()];
};

export const growthReport = (found: readonly Growth[], command: string): string =>
  [
    heading(command),
    `CPU at 1,000 records, or pieces of text, is at most ${gateRatio} times that at 100: linear is 10. Where the answer is one`,
    'record with so many fields, it grows at most as `JSON.parse` of that does.',
    '',
    table(
      ['', ...sizes.map((size) => `CPU at ${size}, µs`), 'at 1,000, to 100'],
      found
        .toSorted((a, b) => b.ratio - a.ratio)
        .map(({ name, cpuUs, ratio }) => [
          `\`${name}\``,
          ...sizes.map((size) => cpuUs[size]?.toFixed(0) ?? ''),
          ratio.toFixed(1),
        ]),
    ),
    '',
  ].join('\n');

export const growthGate = (found: readonly Growth[], print: (line: string) => void): boolean => {
  const tooMuch = found.filter(({ ratio, gate }) => ratio > gate);
  for (const { name, ratio, gate } of tooMuch)
    print(`${name}: 1,000 cost ${ratio.toFixed(1)} times as much as 100; the gate is ${gate.toFixed(0)}`);
  print(`${found.length} methods, steps, tools and masks, ${tooMuch.length} of them grow faster than what they read`);
  return tooMuch.length === 0;
};

const growthOf = async ({ name, at }: Measured, short: boolean, gate = gateRatio, times = 1): Promise<Growth> => {
  const measuredSizes = short ? sizes.slice(1) : sizes;
  const slices = [];
  for (const size of measuredSizes) slices.push({ size, slice: await sliceOf(at(size), short ? 3 : 10) });
  const samples = slices.map((): number[] => []);
  for (let round = 0; round < (short ? 3 : 9) * times; round += 1)
    for (const [index, { slice }] of slices.entries()) samples[index]?.push(await slice());
  const [large = [], small = []] = samples.toReversed();
  const ratio = medianOf(large.map((cpu, round) => cpu / (small[round] ?? Number.NaN)));
  const cpuUs = Object.fromEntries(slices.map(({ size }, index) => [size, medianOf(samples[index] ?? [])]));
  return { name, cpuUs, ratio, gate };
};

/** Runs the call as often as fills the time, and gives the CPU of one, in µs. */
const sliceOf = async (call: () => Promise<unknown>, sliceMs: number): Promise<() => Promise<number>> => {
  const measure = async (calls: number) => {
    const before = process.cpuUsage();
    for (let count = 0; count < calls; count += 1) await call();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / calls;
  };
  // The compiler needs some calls before it leaves code alone.
  await measure(3);
  const calls = Math.min(50, Math.max(1, Math.round((sliceMs * 1_000) / (await measure(1)))));
  return () => measure(calls);
};

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const phone = '+14155550100';
const email = 'ada@example.com';
const many = <Value>(size: number, make: (index: number) => Value): readonly Value[] =>
  Array.from({ length: size }, (_, index) => make(index));
const inAnHour = () => new Date(Math.ceil(Date.now() / 3_600_000 + 1) * 3_600_000);

type Api = 'messaging' | 'crm' | 'billing';

/** A record of any kind that the API has: each operation reads what it knows. Only the first is the caller's. */
const recordOf =
  (api: Api) =>
  (index: number): object => {
    const own = index === 0 ? { phone, email } : { phone: `+1415556${1_000 + index}`, email: `p${index}@example.com` };
    const name = `Name ${index}`;
    const id = `r${index}`;
    const start = inAnHour().toISOString();
    switch (api) {
      case 'messaging':
        return {
          id,
          name,
          ...own,
          title: name,
          body: `<p>Words of record ${index}, and some more of them.</p>`,
          state: 'published',
          created_at: 1_763_700_000 + index,
          time_zone_name: 'America/New_York',
          twenty_four_seven: true,
          exception_date: '2026-12-25',
          exception_type: 'closed',
        };
      case 'crm':
        return {
          Id: id,
          LastName: name,
          Phone: own.phone,
          Email: own.email,
          Subject: name,
          Status: 'Open',
          CaseNumber: `0000${index}`,
          StartDateTime: start,
          EndDateTime: start,
        };
      case 'billing':
        return {
          id,
          name,
          ...own,
          customer_id: 'r0',
          amount: 10 + index / 100,
          currency: 'EUR',
          status: 'open',
          due_date: '2026-12-01',
          default_payment_method: 'pm_1',
          payment_page_url: `https://pay.example.com/${index}`,
        };
    }
  };

/** One record with everything that belongs to it. */
const wholeRecord = (api: Api, size: number): object => {
  const short = many(size, (index) => ({ id: `r${index}`, name: `Name ${index}` }));
  const parts = many(size, (index) => ({ id: `r${index}`, part_type: 'note', body: `<p>Words of ${index}</p>` }));
  const fields = Object.fromEntries(many(size, (index) => [`Field_${index}__c`, `value ${index}`]));
  if (api !== 'messaging') return { ...recordOf(api)(0), id: 'r0', success: true, ...fields };
  return {
    ...recordOf(api)(0),
    custom_attributes: fields,
    admin_ids: short.map(({ id }) => id),
    tags: { tags: short },
    conversation_parts: { conversation_parts: parts },
    ticket_parts: { ticket_parts: parts },
    time_intervals: many(size, (index) => ({ start_minutes: index * 10, end_minutes: index * 10 + 5 })),
  };
};

/** An API that answers everything from memory: lists of records, or one that has as many parts. */
const answering = (api: Api, size: number): Transport => {
  const list = JSON.stringify({ data: many(size, recordOf(api)), total_count: size });
  const one = JSON.stringify(wholeRecord(api, size));
  const payment = JSON.stringify({ id: 'pay_1', status: 'completed', confirmation_number: 'C1' });
  const payments = JSON.stringify({
    data: many(size, (index) => ({
      ...recordOf('billing')(index),
      invoice_id: 'r0',
      status: 'completed',
      amount_refunded: 0,
    })),
  });
  const refund = JSON.stringify({ id: 're_1', status: 'completed', amount: 1 });
  const answer = ({ operation, url }: HttpRequest): string => {
    if (operation === 'billing.payments.refund') return refund;
    if (operation === 'billing.payments.list') return payments;
    if (operation.startsWith('billing.payments.')) return payment;
    // Some lists are on one record.
    if (/\/(?:conversations|teams)\/r0$/.test(url)) return one;
    return /\.(?:list|search|find(?!OrCreate)|query)[A-Za-z]*$/.test(operation) ? list : one;
  };
  const headers = new Map([['content-type', 'application/json']]);
  return async (request) => ({ status: 200, headers, text: answer(request) });
};

let calls = 0;

/** Integrations over such APIs. Limits are counted and never reached. */
const integrationAt = (size: number) => {
  const connectionTo = (api: Api) => ({
    baseUrl: 'https://api.example.com',
    transport: answering(api, size),
    rateLimit: { limit: 1_000_000, perMs: 50 },
  });
  return createIntegration({
    messaging: {
      ...connectionTo('messaging'),
      authenticate: bearer(() => 'token'),
      platform: 'Acme',
      version: '2.11',
      adminId: '1',
    },
    crm: { ...connectionTo('crm'), authenticate: bearer(() => 'token'), version: '60.0' },
    billing: {
      ...connectionTo('billing'),
      authenticate: apiKey('X-Api-Key', () => 'key'),
      version: { path: 'v1' },
    },
    payments: {
      below: 5_000,
      perCall: 1_000_000,
      confirm: false,
      card: () => 'pm_1',
      refund: { below: 5_000, confirm: false },
    },
    timeZone: 'America/New_York',
    phoneCalls: {
      tools: {
        limits: { toolCalls: 1_000, writes: 1_000 },
        call: {
          sendMessage: { templates: { payment_page: paymentPage(({ url }) => url) }, send: () => 'accepted' },
          teams: { Billing: 'r1' },
          ticketTypeId: '7',
          caseStatus: true,
          calendar: { ownerId: 'r0', timeZone: 'America/New_York' },
          transfer: { moveCall: () => true, officeHoursId: 'r0', whenUnavailable: 'We call back.' },
        },
      },
    },
  });
};

type AnyIntegration = ReturnType<typeof integrationAt>;
type AnyPhoneCall = ReturnType<AnyIntegration['startPhoneCall']>;

const startPhoneCall = (integration: AnyIntegration): AnyPhoneCall => {
  calls += 1;
  return integration.startPhoneCall({ callId: `CA${calls}`, direction: 'Inbound', phone });
};

const query = { field: 'role', operator: '=', value: 'user' } as const;
const person = { phone, email };

/** The arguments of each method. A new method without a line here ends the bench. */
const methodArguments: Readonly<Record<string, readonly unknown[]>> = {
  'messaging.contacts.create': [{ name: 'Ada' }],
  'messaging.contacts.findOrCreate': [{ email, name: 'Ada' }],
  'messaging.contacts.update': ['r0', { name: 'Ada' }],
  'messaging.contacts.search': [query],
  'messaging.contacts.searchAll': [query],
  'messaging.contacts.findByPhone': [phone],
  'messaging.contacts.findByEmail': [email],
  'messaging.contacts.find': [person],
  'messaging.contacts.merge': [{ fromId: 'r1', intoId: 'r0' }],
  'messaging.contacts.notes.create': ['r0', { body: 'x' }],
  'messaging.contacts.subscriptions.attach': ['r0', { subscriptionTypeId: '1', consent: 'opt_in' }],
  'messaging.contacts.subscriptions.detach': ['r0', { subscriptionTypeId: '1' }],
  'messaging.contacts.tags.attach': ['r0', { tagId: '1' }],
  'messaging.contacts.tags.detach': ['r0', { tagId: '1' }],
  'messaging.conversations.create': [{ contactId: 'r0', body: 'x' }],
  'messaging.conversations.update': ['r0', { read: true }],
  'messaging.conversations.search': [query],
  'messaging.conversations.searchAll': [query],
  'messaging.conversations.reply': ['r0', { body: 'x' }],
  'messaging.conversations.addNote': ['r0', { body: 'x' }],
  'messaging.conversations.assignToTeam': ['r0', { teamId: '1' }],
  'messaging.conversations.assignToAdmin': ['r0', { toAdminId: '1' }],
  'messaging.conversations.snooze': ['r0', { until: 2_000_000_000 }],
  'messaging.conversations.convertToTicket': ['r0', { ticketTypeId: '7' }],
  'messaging.conversations.tags.attach': ['r0', { tagId: '1' }],
  'messaging.conversations.tags.detach': ['r0', { tagId: '1' }],
  'messaging.companies.create': [{ company_id: 'c1', name: 'Acme' }],
  'messaging.companies.update': ['r0', { name: 'Acme' }],
  'messaging.companies.find': [{ name: 'Name 0' }],
  'messaging.companies.attach': ['r0', { companyId: 'r1' }],
  'messaging.companies.detach': ['r0', { companyId: 'r1' }],
  'messaging.admins.setAway': ['r0', { away: true }],
  'messaging.tags.create': [{ name: 'x' }],
  'messaging.tags.findByName': ['Name 0'],
  'messaging.dataEvents.create': [{ name: 'called', contactId: 'r0' }],
  'messaging.articles.search': [{ phrase: 'door' }],
  'messaging.tickets.create': [{ ticketTypeId: '7', contactId: 'r0', title: 'x' }],
  'messaging.tickets.update': ['r0', { open: false }],
  'messaging.tickets.search': [query],
  'messaging.tickets.searchAll': [query],
  'messaging.tickets.reply': ['r0', { body: 'x' }],
  'messaging.tickets.addNote': ['r0', { body: 'x' }],
  'crm.cases.addNote': ['r0', { body: 'x' }],
  'crm.query': ['Lead', { fields: ['Name'] }],
  'billing.customers.find': [{ phone }],
  'billing.invoices.listOpen': ['r0'],
  'billing.payments.create': [{ customer_id: 'r0', invoice_id: 'r0', amount: 10, payment_method_id: 'pm_1' }],
  'billing.payments.list': [{ customer_id: 'r0' }],
  'billing.payments.refund': [{ customer_id: 'r0', invoice_id: 'r0', payment_id: 'r0', amount: 1 }],
};

/** The methods that take an id, or nothing. */
const byId =
  /\.(?:get|archive|unarchive|block|delete|unassign|reopen|close|isOpen|listForContact|listMembers|listExceptions|listOpen|cancel)$|\.(?:notes|subscriptions|tags)\.list$/;
const withoutArguments =
  /^messaging\.(?:admins\.(?:list|me)|(?:teams|tags|subscriptionTypes|companies|officeHours|tickets\.(?:types|states))\.list)$/;
const ofCrmObjects: Readonly<Record<string, readonly unknown[]>> = {
  create: [{ LastName: 'Lovelace' }],
  update: ['r0', { LastName: 'Lovelace' }],
  upsert: [{ field: 'Key__c', value: '1' }, { LastName: 'Lovelace' }],
  search: [{ phone, name: 'Name 0', accountId: 'r0', ownerId: 'r0' }],
};

/** Methods that no number of records makes dearer, and those that the default API has no request for. */
const leftOut =
  /^\w+\.(?:request|warmUp|status|close|paymentTerms|records|composite)$|\.declaresAttribute$|^crm\.batch\.|\.createWithTask$/;

const argumentsOf = (name: string): readonly unknown[] | undefined => {
  const [api, object = '', verb = ''] = name.split('.');
  if (Object.hasOwn(methodArguments, name)) return methodArguments[name];
  if (withoutArguments.test(name)) return [];
  if (byId.test(name)) return ['r0'];
  if (api !== 'crm') return undefined;
  if (verb.startsWith('search')) return [searchOf(object)];
  return ofCrmObjects[verb];
};

const searchOf = (object: string): object => {
  if (object === 'tasks') return { whoId: 'r0' };
  if (object === 'events') return { ownerId: 'r0', from: new Date(0).toISOString(), to: new Date(1e12).toISOString() };
  if (object === 'cases') return { contactId: 'r0' };
  return object === 'opportunities' ? { accountId: 'r0' } : { phone };
};

type Method = (...given: readonly unknown[]) => unknown;

/** The methods of a client, by their names. */
const methodsOf = (value: unknown, path: string): readonly (readonly [name: string, method: Method])[] => {
  if (typeof value === 'function') return [[path, (...given) => Reflect.apply(value, undefined, given)]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => methodsOf(inner, `${path}.${name}`));
};

const allOf = async (answer: unknown): Promise<void> => {
  const found = typeof answer === 'object' && answer !== null && !('then' in answer) ? answer : await answer;
  if (typeof found !== 'object' || found === null || !(Symbol.asyncIterator in found)) return;
  // What has an async iterator is a list that is read page by page.
  for await (const one of found as AsyncIterable<unknown>) if (one === undefined) throw new Error('a row is missing');
};

/** Each step on its own, after what it needs. */
const steps: Readonly<Record<string, (phoneCall: AnyPhoneCall) => Promise<unknown>>> = {
  identifyCaller: (phoneCall) => phoneCall.identifyCaller(),
  callerContext: (phoneCall) => phoneCall.callerContext({ contactId: 'r0' }),
  takePayment: (phoneCall) =>
    phoneCall.takePayment({ customerId: 'r0', invoiceId: 'r0', amount: 10, paymentMethodId: 'pm_1' }),
  qualifyLead: (phoneCall) => phoneCall.qualifyLead({ lead: { LastName: 'Lovelace', Company: 'Acme' }, summary: 'x' }),
  openCase: (phoneCall) => phoneCall.openCase({ subject: 'x' }),
  logCall: (phoneCall) => phoneCall.logCall({ outcome: 'x' }),
  recordCall: (phoneCall) => phoneCall.recordCall({ contactId: 'r0', summary: 'x' }),
  ensureConversation: (phoneCall) => phoneCall.ensureConversation(),
  routeConversation: (phoneCall) => phoneCall.routeConversation({ conversationId: 'r0', teamId: 'r1' }),
  finish: (phoneCall) => phoneCall.finish({ outcome: 'resolved', summary: 'x', transcript: 'y' }),
};

const noSteps = new Set(['heard', 'said', 'setNotices', 'turn', 'tools', 'verifyCaller']);

/** The arguments of each tool, after the tools that it needs. */
const toolArguments: Readonly<Record<string, readonly (readonly [name: string, args: object])[]>> = {
  lookup_customer_invoices: [['lookup_customer_invoices', {}]],
  create_payment: [
    ['lookup_customer_invoices', {}],
    ['create_payment', { customer_id: 'r0', invoice_id: 'r0', amount: 10 }],
  ],
  get_payment_status: [['get_payment_status', {}]],
  refund_payment: [
    ['get_payment_status', {}],
    ['refund_payment', { payment_id: 'r0', amount: 1, reason: 'goodwill' }],
  ],
  send_message: [
    ['lookup_customer_invoices', {}],
    ['send_message', { template: 'payment_page', invoice_id: 'r0' }],
  ],
  identify_caller: [['identify_caller', {}]],
  get_caller_context: [
    ['identify_caller', {}],
    ['get_caller_context', {}],
  ],
  add_note: [['add_note', { text: 'x' }]],
  reply_to_customer: [['reply_to_customer', { text: 'x' }]],
  route_to_team: [['route_to_team', { team: 'Billing' }]],
  qualify_lead: [['qualify_lead', { last_name: 'Lovelace', company: 'Acme', summary: 'x' }]],
  log_call: [['log_call', { outcome: 'x' }]],
  search_help_center: [['search_help_center', { words: 'door' }]],
  list_recent_conversations: [
    ['identify_caller', {}],
    ['list_recent_conversations', {}],
  ],
  create_ticket: [
    ['identify_caller', {}],
    ['create_ticket', { title: 'x', description: 'y' }],
  ],
  transfer_to_human: [['transfer_to_human', { summary: 'x' }]],
  list_free_slots: [['list_free_slots', {}]],
  book_appointment: [['book_appointment', { start: '2026-12-01T10:00:00-05:00' }]],
  get_case_status: [['get_case_status', {}]],
  list_my_appointments: [['list_my_appointments', {}]],
};

/** They need a second turn for the caller's yes, and read what `list_my_appointments` and `list_free_slots` do. */
const leftOutTools = new Set(['reschedule_appointment', 'cancel_appointment']);

/** All that is measured. Throws for a method, step or tool that no table above names, and for a name that nothing has. */
export const everything = (): readonly Measured[] => {
  const bySize = new Map(sizes.map((size) => [size, integrationAt(size)]));
  const at = (size: Size) => bySize.get(size) ?? integrationAt(size);
  const { messaging, crm, billing } = at(10);
  const methods = Object.entries({ messaging, crm, billing }).flatMap(([name, client]) => methodsOf(client, name));
  const names = methods.map(([name]) => name).filter((name) => !leftOut.test(name));
  const phoneCall = startPhoneCall(at(10));
  const ofPhoneCall = methodsOf({ ...phoneCall, tools: undefined }, 'step').map(([name]) => name.slice(5));
  const tools = phoneCall.tools.tools().flatMap(({ name }) => (leftOutTools.has(name) ? [] : [name]));
  assertNamed(
    'method',
    names,
    names.filter((name) => argumentsOf(name) !== undefined),
  );
  assertNamed('method', names, [...Object.keys(methodArguments), ...names]);
  assertNamed(
    'step',
    ofPhoneCall.filter((name) => !noSteps.has(name)),
    Object.keys(steps),
  );
  assertNamed('tool', tools, Object.keys(toolArguments));
  return [
    ...names.map((name) => ({
      name,
      at: (size: Size) => {
        const [api = '', ...rest] = name.split('.');
        const [, method] =
          methodsOf(Reflect.get(at(size), api), api).find(([one]) => one === [api, ...rest].join('.')) ?? [];
        return async () => allOf(method?.(...(argumentsOf(name) ?? [])));
      },
    })),
    ...Object.entries(steps).map(([name, step]) => ({
      name: `phoneCall.${name}`,
      at: (size: Size) => async () => step(startPhoneCall(at(size))),
    })),
    ...Object.entries(toolArguments).map(([name, runs]) => ({
      name,
      at: (size: Size) => async () => {
        const { tools: toolbox } = startPhoneCall(at(size));
        for (const [tool, args] of runs) {
          const { text, status } = await toolbox.run(tool, args);
          if (status !== 'done') throw new Error(`${tool} ended as ${status}: ${text}`);
        }
      },
    })),
  ];
};

const assertNamed = (what: string, there: readonly string[], named: readonly string[]): void => {
  const missing = there.filter((name) => !named.includes(name));
  const stale = named.filter((name) => !there.includes(name));
  if (missing.length > 0) throw new Error(`say how to call each ${what}: ${missing.join(', ')}`);
  if (stale.length > 0) throw new Error(`there is no such ${what}: ${stale.join(', ')}`);
};
