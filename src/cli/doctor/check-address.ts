import { ClientError } from '../../errors.ts';
import type { Query } from '../../http/operation.ts';
import type { Integration } from '../../integration.ts';
import { type Finding, findingsAbout } from './finding.ts';

/**
 * Finds a wrong address of the billing API, which looks like a customer who isn't found: both are a 404. An API that gives
 * a path that can't exist the same answer knows none of the paths.
 */
export const checkBillingAddress = async ({ billing }: Integration): Promise<Finding | undefined> => {
  const ask = (path: string, query: Query = {}) =>
    billing.request({ operation: 'billing.address', method: 'GET', path, query, returns: (json) => json }).then(
      () => undefined,
      // Some APIs repeat the path that they don't know, and all number their answers.
      (error: unknown) =>
        error instanceof ClientError && error.status === 404
          ? (JSON.stringify(error.details) ?? '').replaceAll(path, '').replaceAll(/[\w-]*\d[\w-]*/g, '')
          : undefined,
    );
  const [search, invoices, nothing] = [
    await ask('customers/search', { phone: '+15555550199' }),
    await ask('invoices', { customer_id: '0', status: 'open' }),
    await ask('a-path-that-does-not-exist'),
  ];
  if (nothing === undefined || search !== nothing || invoices !== nothing) return undefined;
  return findingsAbout('billing').problem(
    'reachable',
    'the API answers 404 to everything',
    "compare billing.baseUrl and billing.version with the API's",
  );
};
