import { stripeVersion } from '../../../billing/stripe/stripe.ts';
import type { Platform } from './platform.ts';

export const stripe: Platform = {
  title: 'Stripe',
  page: 'stripe.md',
  version: stripeVersion,
  changeVersion: 'stripe({ version })',
  checkedOn: '2026-11-26',
  sources: [
    { title: 'restricted keys', url: 'https://docs.stripe.com/keys/restricted-api-keys' },
    { title: 'changelog', url: 'https://docs.stripe.com/changelog' },
  ],
  steps: [
    'In the Dashboard, *Developers → API keys → Create restricted key*. Begin with a key of a sandbox.',
    'Give it *Read* for **Customers** and *Write* for **Invoices**, and nothing else.',
    "Each customer who pays by phone needs a saved payment method that may be charged while they're not present (`off_session`), such as `invoice_settings.default_payment_method`.",
  ],
  variables: [
    { name: 'BILLING_API_KEY', holds: 'the restricted key' },
    { name: 'BILLING_CURRENCY', holds: 'the currency of payments, such as EUR' },
    { name: 'BILLING_PAYMENTS_BELOW', holds: 'every payment must be below it', isOfTheCommandLine: true },
  ],
  ends: [],
};
