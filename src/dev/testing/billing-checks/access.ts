import { rejects } from 'node:assert/strict';
import { createBillingClient } from '../../../billing/index.ts';
import { ClientError } from '../../../core/errors.ts';
import type { Credential } from '../../../http/credential.ts';
import type { BillingCheck, BillingCheckOptions } from './check.ts';

export const accessChecks = ({ billing, customer }: BillingCheckOptions): readonly BillingCheck[] => [
  {
    name: 'refuses another credential with 401 or 403',
    run: async () => {
      await using stranger = createBillingClient({ ...billing, authenticate: forged(billing.authenticate) });
      await rejects(
        stranger.customers.get(customer.id),
        (error) => error instanceof ClientError && (error.status === 401 || error.status === 403),
        'A request with another credential must be refused with 401 or 403',
      );
    },
  },
];

/** The same headers with other values. */
const forged = (genuine: Credential): Credential => ({
  read: async (context) => {
    const { headers } = await genuine.read(context);
    return { headers: Object.fromEntries(Object.keys(headers).map((name) => [name, 'forged'])), secrets: [] };
  },
  renew: async () => undefined,
});
