import { connectionOf, ownNameOf } from '../../billing/own/connection-of.ts';
import type { ConnectionOptions } from '../../http/operation.ts';
import { isKnownMemory, sharedStore, type StoreOption } from '../../tools/store-option.ts';
import { type Checked, findingsAbout } from './findings.ts';
import type { PartsToCheck } from './parts.ts';

/** Returns warnings about limits that the options leave out or switch off. Sends nothing. */
export const checkLimits = ({
  messaging,
  crm,
  billing,
  payments,
  stores: { store },
}: PartsToCheck): readonly Checked[] => [
  ...(messaging ? connectionFindings('messaging', messaging, { hasUsualLimit: true }) : []),
  ...(crm ? connectionFindings('crm', crm, { hasUsualLimit: false }) : []),
  ...(billing
    ? connectionFindings('billing', connectionOf(billing), { hasUsualLimit: false, at: ownNameOf(billing) })
    : []),
  ...(payments ? paymentFindings(store) : []),
];

const connectionFindings = (
  api: string,
  { rateLimit, quota, circuit, retryBudget, allowInsecure }: ConnectionOptions,
  { hasUsualLimit, at = api }: { readonly hasUsualLimit: boolean; readonly at?: string | undefined },
): readonly Checked[] => {
  const { ok, warning } = findingsAbout(api);
  const isLimited = rateLimit === undefined ? hasUsualLimit : rateLimit !== false;
  return [
    isLimited || quota
      ? ok('limit', isLimited ? 'a rate limit is set' : 'a quota is set')
      : warning(
          'limit',
          'neither a rate limit nor a quota is set: a loop can spend the whole budget of the API',
          `${at}.rateLimit or ${at}.quota: { limit, perMs }, as the API's plan says`,
        ),
    ...(circuit === false
      ? [
          warning(
            'circuit',
            'the circuit breaker is off: calls wait for an API that is down',
            `leave ${at}.circuit out`,
          ),
        ]
      : []),
    ...(retryBudget === false
      ? [
          warning(
            'retry-budget',
            'retries have no budget: an outage multiplies requests',
            `leave ${at}.retryBudget out`,
          ),
        ]
      : []),
    ...(allowInsecure
      ? [warning('https', 'credentials may travel over plain http', `an https address, without ${at}.allowInsecure`)]
      : []),
  ];
};

const paymentFindings = (store: StoreOption | undefined): readonly Checked[] => {
  const { ok, warning } = findingsAbout('payments');
  if (sharedStore(store)) return [ok('payment-memory', 'payments are remembered in a store')];
  if (isKnownMemory(store)) return [ok('payment-memory', 'payments are remembered in memory, as you want it')];
  return [
    warning(
      'payment-memory',
      "payments are remembered in memory: after a restart, one whose end isn't known could be made again",
      'store of createIntegration: an idempotency store that outlives the process',
    ),
  ];
};
