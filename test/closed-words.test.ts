/**
 * Every closed set of words in the built declarations is checked by value: each gets a wrong word, which is refused. A new
 * option or argument with such a set fails here until it's checked, and has a way in below.
 */
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import * as z from 'zod';
import * as auth from '../src/auth/index.ts';
import * as billing from '../src/billing/index.ts';
import { stripeEvents } from '../src/billing/stripe/index.ts';
import * as crm from '../src/crm/index.ts';
import { hubspot } from '../src/crm/hubspot/index.ts';
import { salesforce, salesforceLogin } from '../src/crm/salesforce/index.ts';
import * as root from '../src/index.ts';
import * as messaging from '../src/messaging/index.ts';
import { intercom } from '../src/messaging/intercom/index.ts';
import { logTo } from '../src/index.ts';
import { createOutbox } from '../src/outbox/index.ts';
import {
  createMemoryIdempotencyStore,
  createMemoryMessageQueue,
  createMemoryRateLimiter,
} from '../src/stores/memory/index.ts';
import { redis } from '../src/stores/redis/index.ts';
import * as testing from '../src/dev/testing/index.ts';
import * as tools from '../src/tools/index.ts';
import { anthropic } from '../src/tools/providers/anthropic.ts';
import { webhook as elevenlabs } from '../src/tools/providers/elevenlabs.ts';
import { undiciTransport } from '../src/http/transport/undici.ts';
import * as webhooks from '../src/webhooks/index.ts';
import { subpaths } from '../scripts/subpaths.js';
import { type ClosedSet, closedSetsIn } from './support/closed-sets.ts';
import { makeScratchFolder } from './support/scratch-folder.ts';
import { runCommand } from './support/run-command.ts';

/** What the package makes itself, and an application only passes on. */
const madeByUs: ReadonlySet<string> = new Set([
  'BillingClient',
  'CallSteps',
  'CrmClient',
  'EventExchange',
  'FakePlatform',
  'HttpClient',
  'HttpRequest',
  'IdempotencyStore',
  'Integration',
  'IntegrationError',
  'IntegrationEvent',
  'KyInstance',
  'MessageQueue',
  'MessagingClient',
  'MessagingClientFor',
  'Outbox',
  'PhoneCall',
  'RateLimiter',
  'StandardSchema',
  'TokenStore',
  'Tool',
  'Toolbox',
  'ToolInfo',
  'ToolResult',
]);

/** By the declaration, or by who takes it: why no wrong word is refused. */
const exceptions: Readonly<Record<string, string>> = {
  'Published.status': 'the answer of an outbox of this package',
  'Published.destinations': 'the answer of an outbox of this package',
  'HttpClientStatus.circuit': 'the status of a client of this package',
  'LoggedCall.task': 'the answer of a step of this package',
  'DoneStep.status': 'a report of this package, handed back',
  'Appointment.status': 'every other word than booked means that it is not certain, and the model says so',
  'BatchItem.status': 'what a dialect reads in an answer: every other word is neither done nor unknown',
  'CrmDialect.lookUp()': 'another word is sent as an endpoint, which has no method and is refused',
  'ScriptedRealtime.addEventListener(0)': 'as a WebSocket, it takes any name',
  'ScriptedRealtime.removeEventListener(0)': 'as a WebSocket, it takes any name',
  'hasErrorCode(1)': 'Salesforce adds codes',
  'hasIntercomCode(1)': 'Intercom adds codes',
  'logTo()': 'events are made by the package',
  'EndpointMetrics.kind': 'a snapshot of metrics of this package',
  'Metric.type': 'a snapshot of metrics of this package',
  calcom: 'its connection goes to createApiClient',
  createTenants: 'what resolve answers goes to createIntegration',
  checkContract: 'its workspaces go to createIntegration; its probes have a test of their own',
  checksOfBilling: 'its options go to createBillingClient',
  FakeMessaging: 'a fake holds odd records too, as a real platform may',
  'FakeBilling.addInvoice': 'a fake holds odd records too, as a real platform may',
  'FakeZendesk.addTicket': 'a fake holds odd records too, as a real platform may',
  'FakeZendesk.addUser': 'a fake holds odd records too, as a real platform may',
};

const wrong = 'no-such-word';
/** What plain JavaScript and JSON may hold instead of a word. */
const otherValues = ['constructor', '__proto__', '', ' ', null, 0, 1, Number.NaN];
const authenticate = auth.bearer(() => 'secret');
const transport: root.Transport = () => Promise.reject(new Error('nothing must be sent'));
const toBilling = {
  baseUrl: 'https://b.example',
  authenticate,
  version: { path: 'v1' },
  transport,
};
const toCrm = { baseUrl: 'https://c.example', authenticate, version: '60.0', transport };
const toMessaging = { baseUrl: 'https://m.example', authenticate, platform: 'Acme', version: '2.11', transport };
const payments = { card: () => 'pm', below: 5 };
const call = { callId: 'CA1', direction: 'inbound' } as const;
const integration = root.createIntegration({ messaging: toMessaging, crm: toCrm, billing: toBilling, payments });
const store = createMemoryIdempotencyStore();
const secrets = () => 'shared';
const endpoint = 'https://login.example/token';
const client = { tokenEndpoint: endpoint, clientId: () => 'id', clientSecret: () => 'secret' };
const tool = {
  name: 'look_up',
  description: 'Looks up.',
  parameters: z.object({}),
  effect: 'read',
  run: () => ({}),
} as const;
const orders = () =>
  root.createApiClient({
    baseUrl: 'https://o.example',
    authenticate,
    name: 'orders',
    version: 'in-base-url',
    transport,
    endpoints: { get: { method: 'GET', path: '/orders' } },
  });
const entry = { method: 'GET', path: 'orders', returns: (json: unknown) => json } as const;
const payment = { customer_id: 'c', invoice_id: 'i', amount: 1, payment_method_id: 'pm' };

/** An exported function with arguments that work, on which the wrong word is put. */
interface Way {
  readonly args: readonly unknown[];
  /** Its arguments are changed where no type can follow. */
  readonly take: (...args: never[]) => unknown;
}

const way = (take: Way['take'], ...args: readonly unknown[]): Way => ({ take, args });

/** By the name of the function. */
const functions: Readonly<Record<string, Way>> = {
  authorizationCode: way(auth.authorizationCode, { ...client, authorizationEndpoint: endpoint, redirectUri: endpoint }),
  billingFrom: way(billing.billingFrom, orders(), {
    currency: 'EUR',
    findByPhone: async () => [],
    listOpen: async () => [],
  }),
  billingTools: way(tools.billingTools, { billing: integration.billing, payments: { card: payments.card } }),
  callTools: way(tools.callTools, { phoneCall: () => integration.startPhoneCall(call) }),
  createApiClient: way(root.createApiClient, {
    baseUrl: 'https://o.example',
    authenticate,
    name: 'orders',
    version: 'in-base-url',
    endpoints: { get: { method: 'GET', path: '/orders' } },
  }),
  createBillingClient: way(billing.createBillingClient, toBilling),
  createCrmClient: way(crm.createCrmClient, toCrm),
  createFakePlatform: way(testing.createFakePlatform, {}),
  createIntegration: way(root.createIntegration, {
    messaging: toMessaging,
    crm: toCrm,
    billing: toBilling,
    payments,
  }),
  createMessagingClient: way(messaging.createMessagingClient, toMessaging),
  createOutbox: way(createOutbox, {
    queue: createMemoryMessageQueue(),
    destinations: [
      { name: 'a', url: 'https://d.example', version: 1, signing: { secrets, scheme: webhooks.timestamped } },
    ],
    deliver: false,
  }),
  createToolbox: way(tools.createToolbox, { tools: [] }),
  createWebhookReceiver: way(webhooks.createWebhookReceiver, {
    authentication: [webhooks.hmac({ secrets })],
    store,
    events: {},
    on: {},
  }),
  defineTool: way(tools.defineTool, tool),
  finishCall: way(root.finishCall, {}, { callId: 'CA1', direction: 'Inbound', startedAt: 0 }, {}),
  forgedWebhooks: way(testing.forgedWebhooks, { secret: 'shared', body: {}, scheme: webhooks.timestamped }),
  hmac: way(webhooks.hmac, { secrets, scheme: webhooks.timestamped }),
  hubspot: way(hubspot, {}),
  intercom: way(intercom, {}),
  jwtBearer: way(auth.jwtBearer, {
    tokenEndpoint: endpoint,
    clientId: () => 'id',
    audience: endpoint,
    subject: 'agent',
    privateKey: () => 'key',
  }),
  logTo: way(logTo, console),
  messagingEvents: way(webhooks.messagingEvents, []),
  oauthClientCredentials: way(auth.oauthClientCredentials, client),
  oauthRefreshToken: way(auth.oauthRefreshToken, { ...client, refreshToken: () => 'token', onRefreshToken: () => {} }),
  salesforce: way(salesforce, {}),
  salesforceLogin: way(salesforceLogin, 'sandbox'),
  sign: way(webhooks.sign, 'body', { secrets, scheme: webhooks.timestamped }),
  signEvent: way(testing.signEvent, 'body', 'shared', webhooks.timestamped),
  signedJwt: way(auth.signedJwt, { key: () => 'key', issuer: 'a', audience: 'b' }),
  signedWebhook: way(testing.signedWebhook, { secret: 'shared', body: {}, scheme: webhooks.timestamped }),
  startPhoneCall: way(root.startPhoneCall, { billing: integration.billing }, call),
  stripeEvents: way(stripeEvents, []),
  toolFrom: way(tools.toolFrom, orders().get, { description: 'Gets the orders.' }),
  undiciTransport: way(undiciTransport, {}),
  verifySignature: way(webhooks.verifySignature, 'body', { secrets, scheme: webhooks.timestamped, headers: {} }),
  where: way(crm.where, 'Name', '=', 'x'),
  'anthropic.tools': way(anthropic.tools, tools.createToolbox({ tools: [] }), {}),
  'webhook.tools': way(elevenlabs.tools, tools.createToolbox({ tools: [tools.defineTool(tool)] }), {
    url: endpoint,
    secretId: 's',
  }),
  'salesforceFaults.duplicates': way(testing.salesforceFaults.duplicates, [{ type: 'Lead', ids: [] }]),
  'TenantFor.liveCalls': way(integration.liveCalls, {}),
};

const platform = () => testing.createFakePlatform();
const requestOf = (own: object) => integration.billing.request({ operation: 'own', ...entry, ...own } as never);
/** A payment of a client whose dialect says another word of its endpoint. */
const payBy = (own: object) =>
  billing
    .createBillingClient({ ...toBilling, dialect: { endpoints: { payments: { create: own } } } as never })
    .payments.create(payment);
const search = (condition: object) => integration.crm.leads.search({ where: condition } as never);
const box = tools.createToolbox({ tools: [] });

/** By the declaration: arguments of methods, fields of dialects and answers of callbacks, each in one place. */
const declarations: Readonly<Record<string, () => unknown>> = {
  'RequestOptions.lane': () => integration.billing.customers.get('c', { lane: wrong } as never),
  'RateLimiter.lane': () =>
    createMemoryRateLimiter({ limit: 1, perMs: 1 }).acquire({
      key: '',
      lane: wrong as never,
      maxWaitMs: 1,
      signal: new AbortController().signal,
    }),
  'LeadOptions.onOpenLead': () =>
    integration.startPhoneCall(call).qualifyLead({ lead: {} } as never, { onOpenLead: wrong } as never),
  'MessagingDialect.attributeDates': () =>
    messaging.createMessagingClient({ ...toMessaging, dialect: { attributeDates: wrong as never } }),
  'PhoneCall.verifyCaller(0)': () => integration.startPhoneCall(call).verifyCaller(wrong as never),
  'ContactSubscriptions.consent': () =>
    integration.messaging.contacts.subscriptions.attach('c', { subscriptionTypeId: 's', consent: wrong } as never),
  'Operation.effect': () => requestOf({ effect: wrong }),
  'Operation.method': () => requestOf({ method: wrong }),
  'Operation.reads': () => requestOf({ reads: wrong }),
  'Operation.repeat': () => requestOf({ repeat: wrong }),
  'Operation.sends': () => requestOf({ sends: wrong }),
  'Operation.withoutKeys': () => requestOf({ withoutKeys: wrong }),
  'Entry.repeat': () => payBy({ repeat: wrong }),
  'Entry.repeat()': () => payBy({ repeat: () => wrong }),
  'FieldCondition.operator': () => search({ field: 'Name', operator: wrong, value: 'x' }),
  'Condition.operator': () => search({ not: { field: 'Name', operator: wrong, value: 'x' } }),
  'QueryOptions.orderBy.direction': () =>
    integration.crm.query('Lead', { orderBy: [{ field: 'Name', direction: wrong as never }] }),
  'WriteRules.assignmentRule': () =>
    integration.crm.leads.create({ LastName: 'a', Company: 'b' }, { assignmentRule: wrong as never }),
  'RedisRateLimiterOptions.whenUnavailable': () => limiterIn(wrong),
  'RedisRateLimiterOptions.whenUnavailable.fallback': () => limiterIn({ fallback: wrong, processes: 1 }),
  'Authentication.step': () =>
    webhooks.createWebhookReceiver({
      authentication: [{ ...webhooks.hmac({ secrets }), step: wrong as never }],
      store,
      events: {},
      on: {},
    }),
  'ToolCaller.verified': () => box.bind({ caller: { verified: wrong as never } }),
  'ToolCaller.claimed': () => box.bind({ caller: { verified: 'no', claimed: [wrong as never] } }),
  'FakeBilling.nextPayment(0)': () => platform().billing.nextPayment(wrong as never),
  'FakeBilling.settlePayment(1)': () => platform().billing.settlePayment('p', wrong as never),
  'FakeBilling.nextRefund(0)': () => platform().billing.nextRefund(wrong as never),
  'FakeBilling.settleRefund(1)': () => platform().billing.settleRefund('r', wrong as never),
  'FakeBilling.status': () => platform().billing.addRefund({ payment_id: 'p', amount: 1, status: wrong as never }),
  'FakePayment.status': () => platform().billing.addPayment({ invoice_id: 'i', status: wrong as never }),
  'FakeBillingOptions.paymentRule()': () => platform().billing.nextPayment(undefined as never),
  'FakePlatform.effects(0)': () => platform().effects(wrong as never),
  'FakePlatform.fault(0)': () => platform().fault(wrong as never, ['ok']),
  'FakePlatform.fault(1)': () => platform().fault('billing', [wrong as never]),
  'FakePlatform.handle(0)': () => platform().handle(wrong as never, {} as never),
  'ResetFault.reset': () => platform().fault('billing', [{ reset: wrong } as never]),
  'StallFault.stall': () => platform().fault('billing', [{ stall: wrong } as never]),
  'PlatformAssertions.didOnce(0)': () => testing.assertOn(platform()).didOnce(wrong as never),
  'PlatformAssertions.neverDid(0)': () => testing.assertOn(platform()).neverDid(wrong as never),
  'FakeZendesk.addField(0)': () =>
    testing.createFakePlatform({ messaging: 'zendesk' }).zendesk.addField(wrong as never, 'key'),
  'FakeZendesk.setAgentStatus(1)': () =>
    testing.createFakePlatform({ messaging: 'zendesk' }).zendesk.setAgentStatus(1, wrong as never),
};

const limiterIn = (whenUnavailable: unknown) =>
  redis({ client: {} as never }).rateLimiter({
    name: 'a',
    limit: 1,
    perMs: 1,
    whenUnavailable: whenUnavailable as never,
  });

/** Answers of callbacks whose wrong word isn't thrown to the caller, with the test that shows what becomes of it. */
const shownElsewhere: Readonly<Record<string, string>> = {
  'ToolOptions.outcome()': 'tools/closed-words.test.ts',
  'HttpDialect.classify()': 'http/dialect.test.ts',
  'OwnPayment.status': 'billing/billing-from.test.ts',
  'OwnMadePayment.status': 'billing/refunds.test.ts',
  'OwnMadeRefund.status': 'billing/refunds.test.ts',
  'OwnRefund.status': 'billing/refunds.test.ts',
  'toolsFromMcp(1)': 'tools/providers/mcp-tools.test.ts',
  'ExistingToolOptions.effect': 'tools/existing-tool.test.ts',
  'ExistingToolOptions.effect()': 'tools/existing-tool.test.ts',
  'ExistingToolOptions.confirm': 'tools/existing-tool.test.ts',
  'Handled.type': 'stores/message-queue.conformance.ts',
  'SendMessageOptions.send()': 'tools/messages/message-tool.test.ts',
  'VerifyByCode.checkCode()': 'tools/verification/verify-tools.test.ts',
};

/** The arguments, with the word at the path. `[]` is the first entry of a map, or the only one of a list. */
const withWord = (value: unknown, [step, ...rest]: readonly string[], word: unknown): unknown => {
  if (step === undefined) return word;
  if (rest[0] !== '[]') return { ...Object(value), [step]: withWord(Object(value)[step], rest, word) };
  const within: unknown = Object(value)[step];
  if (!maps.has(step)) {
    const entry: unknown = Array.isArray(within) ? within[0] : within;
    return { ...Object(value), [step]: [withWord(entry, rest.slice(1), word)] };
  }
  const [key = 'any'] = Object.keys(Object(within));
  return { ...Object(value), [step]: { ...Object(within), [key]: withWord(Object(within)[key], rest.slice(1), word) } };
};

/** Objects whose fields may have any name. */
const maps: ReadonlySet<string> = new Set(['customAttributes', 'companyAttributes', 'endpoints']);

const stepsOf = (path: string): readonly string[] => path.replaceAll('[]', '.[]').split('.');

const take = async ({ take: run, args }: Way, path?: string, word: unknown = wrong): Promise<unknown> => {
  const given =
    path === undefined
      ? args
      : Object.values(Object(withWord(Object.fromEntries(args.entries()), stepsOf(path), word)));
  return Promise.resolve(run(...(given as never[])));
};

const isExcepted = ({ owner, declared }: ClosedSet): boolean =>
  [declared, owner, owner.split('.')[0] ?? ''].some((name) => Object.hasOwn(exceptions, name));

/** What an exported function takes itself has to be refused by that function; a dialect is read by its calls. */
const isOwn = ({ owner, path }: ClosedSet): boolean =>
  Object.hasOwn(functions, owner) && !path.includes('()') && !path.includes('dialect.');

const name = ({ owner, path }: ClosedSet) => `${owner} ${path}`;

describe('every closed set of words', () => {
  let sets: readonly ClosedSet[] = [];

  beforeAll(async () => {
    const scratch = await makeScratchFolder();
    await runCommand('tar', ['-xzf', inject('tarball')], { cwd: scratch.path });
    sets = closedSetsIn(
      join(scratch.path, 'package', 'dist'),
      subpaths.map(({ entry }) => entry),
      madeByUs,
    );
    await scratch.remove();
  });

  test('is found', () => {
    expect(sets.length).toBeGreaterThan(500);
    expect(sets.map(({ declared }) => declared)).toEqual(
      expect.arrayContaining(['Payments.confirm', 'ToolOptions.outcome()']),
    );
  });

  test('has a way in, or a reason to have none', () => {
    const without = sets.filter(
      (set) =>
        !isExcepted(set) &&
        !isOwn(set) &&
        !Object.hasOwn(declarations, set.declared) &&
        !Object.hasOwn(shownElsewhere, set.declared) &&
        // A method that takes the options of a function leaves the check to the same code.
        !(isDeep(set) && sets.some((other) => isOwn(other) && other.declared === set.declared)),
    );

    expect(without.map((set) => `${set.declared}: ${name(set)}`)).toEqual([]);
  });

  test.each(Object.entries(functions))('%s takes what its words are put on', async (_name, found) => {
    const error = await take(found).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );

    expect(error).not.toBeInstanceOf(root.InvalidArgumentError);
  });

  test('that a function takes is refused by name when a word is wrong', async () => {
    const accepted: string[] = [];
    for (const set of sets) {
      const found = functions[set.owner];
      if (!found || !isOwn(set) || isExcepted(set)) continue;
      for (const word of [wrong, wrongCase(set.words), ...otherValues]) {
        const error = await take(found, set.path, word).catch((thrown: unknown) => thrown);
        if (!isNamed(error, set)) accepted.push(`${name(set)} ${JSON.stringify(word)}: ${String(error)}`);
      }
    }

    expect(accepted).toEqual([]);
  });

  test.each(Object.entries(declarations))('%s is refused when a word is wrong', async (declared, call) => {
    expect(sets.some((set) => set.declared === declared)).toBe(true);
    const error = await Promise.resolve()
      .then(call)
      .then(
        () => undefined,
        (thrown: unknown) => thrown,
      );

    // The fakes of a test fail it with plain errors.
    expect(error).toBeInstanceOf(/^(?:Fake|Platform|Reset|Stall)/.test(declared) ? Error : root.InvalidArgumentError);
  });

  test('no entry here is left over', () => {
    const has = (wanted: string) =>
      sets.some(({ owner, declared }) => [declared, owner, owner.split('.')[0]].includes(wanted));
    const names = [exceptions, functions, declarations, shownElsewhere].flatMap((table) => Object.keys(table));

    expect(names.filter((wanted) => !has(wanted))).toEqual([]);
  });
});

/** A word of the set in other letters. */
const wrongCase = ([first = '', ...others]: readonly string[]): string => {
  const upper = first.toUpperCase();
  return [first, ...others].includes(upper) ? `${first.toLowerCase()}-` : upper;
};

const isDeep = ({ owner, path }: ClosedSet): boolean =>
  owner.includes('.') || path.includes('()') || path.includes('dialect.');

/** An `InvalidArgumentError` that names a field on the way to the word, or the argument itself. */
const isNamed = (error: unknown, { path }: ClosedSet): boolean => {
  if (!(error instanceof root.InvalidArgumentError)) return false;
  const fields = stepsOf(path).filter((step) => !/^(?:\d+|\[\])$/.test(step));
  return fields.length === 0 || fields.some((field) => error.field.includes(field));
};
