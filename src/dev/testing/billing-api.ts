import { billingContract } from './contract/billing.ts';
import type { Envelope } from './contract/envelope.ts';
import { createContractApi } from './contract-api.ts';
import type { Versioning } from './endpoint.ts';
import type { ApiParts } from './pipeline.ts';
import type { FakeBillingOptions } from './platform-options.ts';
import { createBillingStore, type BillingStore, type PaymentRule } from './store/billing.ts';
import type { FakeStripeOptions } from './stripe/options.ts';
import { createStripeApi } from './stripe/stripe.ts';
import { payByTestMethod } from './stripe/test-methods.ts';

/** The fake billing API, by the dialect it speaks. */
export interface BillingApi extends ApiParts {
  readonly store: BillingStore;
}

export const createBillingApi = (
  options: FakeBillingOptions | FakeStripeOptions,
  platformEnvelope: Envelope,
): BillingApi => {
  if (options.dialect === 'stripe') {
    const store = createBillingStore({ paymentRule: payByTestMethod });
    return { store, createApi: (context) => createStripeApi(options, { ...context, store }) };
  }
  const { version = { path: 'v1' }, credentialHeader = 'X-Api-Key', envelope = platformEnvelope } = options;
  const {
    absentCustomer = '404',
    severalCustomers = 'first',
    invoiceFilter = 'honoured',
    idempotency = 'key',
  } = options;
  const store = createBillingStore({ paymentRule: options.paymentRule ?? payByMethod });
  const api = {
    contract: billingContract({ envelope, absentCustomer, severalCustomers, invoiceFilter, idempotency }),
    versioning: toVersioning(version),
    credentialHeader,
    store,
  };
  return { store, createApi: (context) => createContractApi('billing', api, options, context) };
};

const payByMethod: PaymentRule = ({ payment_method_id }) => {
  if (payment_method_id === 'pm_declined') return 'declined';
  return payment_method_id === 'pm_pending' ? 'pending' : 'completed';
};

const toVersioning = (version: NonNullable<FakeBillingOptions['version']>): Versioning => {
  if (version === 'in-base-url' || 'path' in version) return version;
  return { header: version.header.name, value: version.header.value };
};
