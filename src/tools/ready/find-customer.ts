import type { BillingClient, Customer } from '../../billing/index.ts';
import { AmbiguousError } from '../../core/errors.ts';
import type { RequestOptions } from '../../http/operation.ts';
import type { PersonDetails } from './right-person.ts';

/**
 * Finds the customer with this number, else with this address. The address decides where several share the number.
 * Throws `AmbiguousError` where it stays ambiguous.
 */
export const findCustomer = async (
  { customers }: Pick<BillingClient, 'customers'>,
  { phone, email }: PersonDetails,
  request: RequestOptions,
): Promise<Customer | undefined> => {
  const byEmail = async () => (email ? customers.find({ email }, request) : undefined);
  if (!phone) return byEmail();
  try {
    return (await customers.find({ phone }, request)) ?? (await byEmail());
  } catch (error) {
    const decided = error instanceof AmbiguousError ? await byEmail() : undefined;
    if (!decided) throw error;
    return decided;
  }
};
