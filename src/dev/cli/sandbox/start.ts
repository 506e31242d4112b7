import {
  type ApiName,
  createFakePlatform,
  createScriptedModel,
  type FakeApiOptions,
  type FakeBillingOptions,
  type OperationName,
  type RecordedRequest,
  type ScriptedMoment,
  type ScriptedStep,
  testConnectedApp,
  testCredentials,
} from '../../testing/index.ts';
import { wrongUsage } from '../command-error.ts';
import { sampleRecords } from '../demo/calls.ts';
import { choosePlatforms } from '../demo/platforms.ts';
import { fillPlatform } from '../demo/systems.ts';
import { readFault } from './read-faults.ts';
import { readModes } from './read-modes.ts';

/** The dialect of each of the three APIs. */
export interface SandboxDialects {
  readonly messaging: 'default' | 'intercom' | 'zendesk';
  readonly crm: 'default' | 'salesforce' | 'hubspot';
  readonly billing: 'default' | 'stripe';
}

export interface SandboxOptions {
  readonly dialects: SandboxDialects;
  /** @defaultValue free ones */
  readonly ports: Partial<Record<ApiName, number>>;
  /** The words as they are typed. */
  readonly faults: readonly string[];
  /** The words as they are typed. */
  readonly modes: readonly string[];
  /** A scripted model listens too. */
  readonly model: boolean;
  readonly empty: boolean;
  /** Gets a line for each write that an API did. */
  readonly onWrite: (line: string) => void;
}

/** The fake platform as servers of their own. */
export interface Sandbox {
  /** The environment of an application; the command line reads the same. */
  readonly variables: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
}

export const startSandbox = async ({
  dialects,
  ports,
  faults,
  modes,
  model,
  empty,
  onWrite,
}: SandboxOptions): Promise<Sandbox> => {
  const chosen = choosePlatforms(Object.values(dialects).filter(isPreset).join(','));
  const asked = readModes(modes);
  const platform = createFakePlatform({
    messaging: { ...allowed(dialects.messaging, asked.messaging), ...chosen.messaging.fake },
    crm: { ...allowed(dialects.crm, asked.crm), ...chosen.crm.fake },
    // The modes are those that this fake takes.
    billing: { ...allowed(dialects.billing, asked.billing), ...chosen.billing.fake } as FakeBillingOptions,
    onRequest: (request) => {
      // A token is no record.
      if (request.executed && !request.operation?.endsWith('.oauth.token')) onWrite(lineAbout(request));
    },
  });
  for (const { target, faults: list } of faults.map(readFault)) {
    try {
      // The platform refuses what is no operation.
      platform.fault(target as OperationName, list);
    } catch (error) {
      throw wrongUsage(
        (error as Error).message,
        'it is one such as billing.payments.create, or messaging, crm, billing',
      );
    }
  }
  if (!empty) {
    const records = sampleRecords();
    fillPlatform(platform, chosen, records);
    // Of a month before: for questions about payments, and for refunds.
    for (const { id } of platform.billing.customers.slice(0, 1)) {
      const paid = platform.billing.addInvoice({
        id: 'inv_100',
        customer_id: id,
        amount: 49.9,
        due_date: '2026-02-10',
      });
      platform.billing.addPayment({ id: 'pay_100', invoice_id: paid.id, created_at: '2026-02-09T10:00:00Z' });
    }
  }
  const urls = await platform.listen(ports);
  const scripted = model ? await startModel() : undefined;
  const { billing } = testCredentials;
  return {
    close: async () => {
      await scripted?.close();
      await platform.close();
    },
    variables: {
      ...messagingVariables(dialects.messaging, urls.messaging),
      MESSAGING_ADMIN_ID: chosen.messaging.adminId?.(platform) ?? 'admin_1',
      ...crmVariables(dialects.crm, urls.crm),
      ...billingVariables(dialects.billing, urls.billing),
      BILLING_API_KEY: billing,
      BILLING_PAYMENTS_BELOW: '5000',
      ...scripted?.variables,
    },
  };
};

/** A payment's line has the invoice and the sum too. */
const lineAbout = ({ operation, status, body, path }: RecordedRequest): string => {
  const paid = /\/invoices\/([^/]+)\/pay$/.exec(path)?.[1]; // Stripe's
  const { invoice_id: invoice = paid, amount }: Readonly<Record<string, unknown>> = Object(body);
  return [operation, status ?? 'no answer', invoice, amount].filter(Boolean).join('  ');
};

const isPreset = (dialect: string) => dialect !== 'default';

/** A strict fake takes the modes that don't change what its platform does. */
const allowed = <Modes extends FakeApiOptions>(dialect: string, modes: Modes): Partial<Modes> => {
  if (['default', 'intercom', 'salesforce'].includes(dialect)) return modes;
  const { latencyMs = 0, bodies = 'whole' } = modes;
  return { latencyMs, bodies } as Partial<Modes>;
};

type Variables = Readonly<Record<string, string>>;

const messagingVariables = (dialect: SandboxDialects['messaging'], url: string): Variables => {
  const shared = { MESSAGING_BASE_URL: url, MESSAGING_DIALECT: dialect };
  if (dialect === 'zendesk')
    return {
      ...shared,
      MESSAGING_BASE_URL: `${url}/api/v2`,
      MESSAGING_CLIENT_ID: testConnectedApp.clientId,
      MESSAGING_CLIENT_SECRET: testConnectedApp.clientSecret ?? '',
    };
  const withToken = { ...shared, MESSAGING_TOKEN: testCredentials.messaging };
  if (dialect === 'intercom') return { ...withToken, MESSAGING_VERSION: '2.16' };
  return { ...withToken, MESSAGING_PLATFORM: 'Acme', MESSAGING_VERSION: '2.11' };
};

const crmVariables = (dialect: SandboxDialects['crm'], url: string): Variables => {
  const shared = { CRM_BASE_URL: url, CRM_DIALECT: dialect };
  if (dialect === 'salesforce')
    return {
      ...shared,
      CRM_CLIENT_ID: testConnectedApp.clientId,
      CRM_CLIENT_SECRET: testConnectedApp.clientSecret ?? '',
    };
  const withToken = { ...shared, CRM_TOKEN: testCredentials.crm };
  return dialect === 'hubspot' ? withToken : { ...withToken, CRM_VERSION: '60.0' };
};

const billingVariables = (dialect: SandboxDialects['billing'], url: string): Variables =>
  dialect === 'stripe'
    ? { BILLING_BASE_URL: `${url}/v1`, BILLING_DIALECT: 'stripe', BILLING_CURRENCY: 'EUR' }
    : { BILLING_BASE_URL: url, BILLING_VERSION: 'v1' };

/** For agents without a key: looks up what the caller owes, and charges the oldest invoice once they agree to the sum. */
const startModel = async () => {
  const answer = createAnswer();
  const model = createScriptedModel(Array.from({ length: mostAnswers }, () => answer));
  return {
    variables: { OPENAI_BASE_URL: `${await model.listen()}/v1`, OPENAI_API_KEY: 'test-openai-key' },
    close: model.close,
  };
};

/** More than a developer who tries things out asks for. */
const mostAnswers = 10_000;

const createAnswer = () => {
  // The oldest one that a look-up has shown, as the model reads it.
  let invoice: { readonly id: string; readonly amount: string } | undefined;
  // The caller was asked about its sum.
  let confirmed = false;

  return ({ caller, results }: ScriptedMoment): ScriptedStep => {
    const last = results.at(-1);
    const saysYes = /^yes\b/i.test(caller);
    const pay = ({ id, amount }: NonNullable<typeof invoice>): ScriptedStep => ({
      call: 'create_payment',
      args: { invoice_id: id, amount: Number(amount) },
      confirmed,
    });
    if (!last) return saysYes && invoice ? pay(invoice) : { call: 'lookup_customer_invoices' };
    if (last.includes('"confirmation_number"')) return 'That is paid.';
    if (last.includes('"not_allowed"')) return 'I can only say that to a caller I know.';
    if (last.includes('"invoice_count":0')) {
      invoice = undefined;
      return 'You owe nothing. Goodbye.';
    }
    const [, question] = /"summary":("(?:[^"\\]|\\.)*")/.exec(last) ?? [];
    confirmed = question !== undefined;
    if (question) return JSON.parse(question);
    const [, id, amount] = /"id":"([^"]+)","amount":([\d.]+)/.exec(last) ?? [];
    if (!id || !amount) return `The tool answered: ${last}`;
    invoice = { id, amount };
    return saysYes || /\bpay\b/i.test(caller) || caller.includes(amount)
      ? pay(invoice)
      : `Your oldest invoice is ${id}, over ${amount}. Would you like to pay it?`;
  };
};
