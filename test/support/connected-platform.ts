import { apiKey, bearer } from '../../src/auth/index.ts';
import { type BillingConnection, createBillingClient } from '../../src/billing/index.ts';
import { type CrmOptions, createCrmClient } from '../../src/crm/index.ts';
import type { Payments } from '../../src/tools/payment-rules.ts';
import { callAttributes, createMessagingClient, type MessagingOptions } from '../../src/messaging/index.ts';
import {
  createFakePlatform,
  type FakePlatform,
  type FakePlatformOptions,
  type OperationName,
  testCredentials,
} from '../../src/dev/testing/index.ts';

interface ClientOptions {
  readonly messaging: MessagingOptions;
  readonly crm: CrmOptions;
  readonly billing: BillingConnection;
  readonly payments: Payments;
}

/** The fake platform on loopback, and the options of three clients that reach it and do not wait between attempts. */
export const connectPlatform = async (options: FakePlatformOptions = {}) => {
  const platform = createFakePlatform(options);
  const baseUrls = await platform.listen();
  const backoff = { minimumMs: 0, maximumMs: 0 };
  const clientOptions: ClientOptions = {
    messaging: {
      baseUrl: baseUrls.messaging,
      authenticate: bearer(() => testCredentials.messaging),
      platform: 'Acme',
      version: '2.11',
      adminId: 'admin_1',
      customAttributes: callAttributes,
      // The fake platform does the work once per key.
      idempotency: 'key',
      backoff,
    },
    crm: {
      baseUrl: baseUrls.crm,
      authenticate: bearer(() => testCredentials.crm),
      version: '60.0',
      idempotency: 'key',
      // The fake platform can change a Task.
      dialect: { changesTasks: true },
      backoff,
    },
    billing: {
      baseUrl: baseUrls.billing,
      authenticate: apiKey('X-Api-Key', () => testCredentials.billing),
      version: { path: 'v1' },
      backoff,
    },
    payments: { below: 5000, confirm: false },
  };
  return {
    platform,
    clientOptions,
    clients: {
      messaging: createMessagingClient(clientOptions.messaging),
      crm: createCrmClient(clientOptions.crm),
      billing: createBillingClient({ ...clientOptions.billing, payments: { below: clientOptions.payments.below } }),
    },
    [Symbol.asyncDispose]: () => platform.close(),
  };
};

/** The requests that reached the platform, in order. */
export const operationsOf = (platform: FakePlatform): readonly (OperationName | undefined)[] =>
  platform.requests.map(({ operation }) => operation);

/** The keys with which an operation was asked for, in order. */
export const keysOf = (platform: FakePlatform, operation: OperationName): readonly (string | undefined)[] =>
  platform.requests.filter((request) => request.operation === operation).map(({ idempotencyKey }) => idempotencyKey);

/** The body of the last request of an operation. */
export const lastBodyOf = (platform: FakePlatform, operation: OperationName): unknown =>
  platform.requests.findLast((request) => request.operation === operation)?.body;
