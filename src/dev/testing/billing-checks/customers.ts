import { equal } from 'node:assert/strict';
import type { BillingClient } from '../../../billing/index.ts';
import { ClientError } from '../../../core/errors.ts';
import type { BillingCheck, BillingCheckOptions } from './check.ts';

export const customerChecks = (
  { customers }: BillingClient,
  { customer: { id, phone, email } }: BillingCheckOptions,
): readonly BillingCheck[] => [
  {
    name: 'gives a customer by id',
    run: async () => equal((await customers.get(id))?.id, id),
  },
  {
    name: 'refuses the id of a customer that does not exist',
    run: async () => {
      // It need not be an id in the API's own form.
      const found = await customers.get('no-such-customer').catch((error: unknown) => {
        if (!(error instanceof ClientError) || [401, 403].includes(error.status)) throw error;
      });
      equal(
        found,
        undefined,
        'GET /customers/no-such-customer must be answered with 404, or another 4xx that refuses the id',
      );
    },
  },
  ...(phone === undefined
    ? []
    : [
        {
          name: 'finds a customer by phone',
          run: async () => equal((await customers.find({ phone }))?.id, id, 'The phone must find the customer'),
        },
        {
          name: 'finds no one by an unknown phone',
          run: () => findsNoOne(customers.find({ phone: unknownPhone })),
        },
      ]),
  ...(email === undefined
    ? []
    : [
        {
          name: 'finds a customer by e-mail',
          run: async () => equal((await customers.find({ email }))?.id, id, 'The e-mail must find the customer'),
        },
        {
          name: 'finds no one by an unknown e-mail',
          run: () => findsNoOne(customers.find({ email: unknownEmail })),
        },
      ]),
];

// The numbering plan reserves this number for fiction, and RFC 2606 this domain for no one.
const unknownPhone = '+12025550199';
const unknownEmail = 'unknown@nowhere.invalid';

const findsNoOne = async (search: Promise<unknown>): Promise<void> =>
  equal(await search, undefined, 'A search that finds no one must be answered with 404, 204, null, {} or []');
