import { createApiClient } from '../../api/create-api-client.ts';
import type { ConnectionOptions } from '../../http/operation.ts';
import { billingFrom, type OwnBilling, type OwnParts, partsOf } from '../billing-from.ts';
import type { BillingConnection, BillingOptions } from '../client.ts';

/** Returns the options of the connection to a billing API: those of the client, if it's one of your own. */
export const connectionOf = (billing: BillingOptions): ConnectionOptions & Pick<BillingConnection, 'version'> =>
  'own' in billing ? partsOf(billing).options : billing;

/** Returns the name of your own client, which has the options. */
export const ownNameOf = (billing: BillingOptions): string | undefined =>
  'own' in billing ? partsOf(billing).options.name : undefined;

/** Returns the same billing API over a connection with other options: for checks of it. */
export const withConnection = (billing: BillingOptions, changes: Partial<ConnectionOptions>): BillingOptions =>
  'own' in billing ? reconnect(billing, changes) : { ...billing, ...changes };

/** Makes the same billing API of your own over a client of its own. */
export const reconnect = <Own extends OwnBilling>(
  billing: Own,
  changes: Partial<ConnectionOptions>,
  change: (functions: OwnParts['functions']) => OwnParts['functions'] = (functions) => functions,
): Own => {
  const { options, functions } = partsOf(billing);
  return { ...billing, ...billingFrom(createApiClient({ ...options, ...changes }), change(functions)) };
};
