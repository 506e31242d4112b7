import { type ApiName, createFakePlatform, type OperationName, testCredentials } from '../../testing/index.ts';
import { wrongUsage } from '../command-error.ts';
import { readFault } from './read-faults.ts';
import { readModes } from './read-modes.ts';
import { addSampleRecords } from './sample-records.ts';

/** Whose API the two speak that have a preset. */
export interface SandboxDialects {
  readonly messaging: 'documented' | 'intercom';
  readonly crm: 'documented' | 'salesforce';
  readonly billing: 'documented' | 'stripe';
}

export interface SandboxOptions {
  readonly dialects: SandboxDialects;
  /** @defaultValue free ones */
  readonly ports: Partial<Record<ApiName, number>>;
  /** As they are typed. */
  readonly faults: readonly string[];
  /** As they are typed. */
  readonly modes: readonly string[];
  readonly empty: boolean;
}

/** The fake platform as servers of their own. */
export interface Sandbox {
  /** What an application puts into its environment; the command line reads the same. */
  readonly variables: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
}

export const startSandbox = async ({ dialects, ports, faults, modes, empty }: SandboxOptions): Promise<Sandbox> => {
  const isIntercom = dialects.messaging === 'intercom';
  const isSalesforce = dialects.crm === 'salesforce';
  const isStripe = dialects.billing === 'stripe';
  const { messaging: messagingModes, crm: crmModes, billing: billingModes } = readModes(modes);
  const { latencyMs = 0, bodies = 'whole' } = billingModes;
  const platform = createFakePlatform({
    messaging: { ...messagingModes, dialect: dialects.messaging },
    crm: isSalesforce ? { ...crmModes, dialect: 'salesforce' } : crmModes,
    // The sample customer can be found at once.
    billing: isStripe ? { dialect: 'stripe', searchDelayMs: 0, latencyMs, bodies } : billingModes,
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
  if (!empty) addSampleRecords(platform);
  const { messaging, crm, billing } = await platform.listen(ports);
  const { messaging: messagingToken, crm: crmToken, billing: billingKey } = testCredentials;
  return {
    close: platform.close,
    variables: {
      MESSAGING_BASE_URL: messaging,
      MESSAGING_TOKEN: messagingToken,
      MESSAGING_ADMIN_ID: 'admin_1',
      MESSAGING_DIALECT: dialects.messaging,
      ...(isIntercom ? {} : { MESSAGING_PLATFORM: 'Acme' }),
      MESSAGING_VERSION: isIntercom ? '2.16' : '2.11',
      CRM_BASE_URL: crm,
      CRM_TOKEN: crmToken,
      CRM_DIALECT: dialects.crm,
      CRM_VERSION: '60.0',
      BILLING_BASE_URL: isStripe ? `${billing}/v1` : billing,
      BILLING_API_KEY: billingKey,
      ...(isStripe ? { BILLING_DIALECT: 'stripe', BILLING_CURRENCY: 'EUR' } : { BILLING_VERSION: 'v1' }),
      BILLING_MAXIMUM_PAYMENT: '5000',
    },
  };
};
