import {
  type ApiName,
  createFakePlatform,
  type FakeApiOptions,
  type FakeBillingOptions,
  type OperationName,
  type RecordedRequest,
  testConnectedApp,
  testCredentials,
} from '../../testing/index.ts';
import { wrongUsage } from '../command-error.ts';
import { sampleRecords } from '../demo/calls.ts';
import { choosePlatforms } from '../demo/platforms.ts';
import { fillPlatform } from '../demo/systems.ts';
import { readFault } from './read-faults.ts';
import { startModel } from './model.ts';
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
