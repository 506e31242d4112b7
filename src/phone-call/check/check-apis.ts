import type { BillingClient } from '../../billing/billing-client.ts';
import { type BillingConnection, type BillingOptions, createBillingClient } from '../../billing/client.ts';
import { connectionOf, withConnection } from '../../billing/own/connection-of.ts';
import { IntegrationError } from '../../core/errors.ts';
import { readSetting, type Setting } from '../../core/setting.ts';
import type { ConnectionOptions } from '../../http/operation.ts';
import { createCrmClient, type CrmClient, type CrmOptions } from '../../crm/client.ts';
import { createMessagingClient, type MessagingClient, type MessagingOptions } from '../../messaging/client.ts';
import { checkClient, type CheckRun, type SeenOnTheWire } from './check-client.ts';
import { type Checked, findingsAbout } from './findings.ts';
import type { ApisToCheck } from './parts.ts';
import { type PresetName, presetNamed } from './presets.ts';
import { billingReads, crmReads, messagingReads } from './reads.ts';
import { checkSalesforceVersion } from './salesforce-version.ts';

/** Checks one API. Does nothing for one that isn't configured. */
export const checkApi = async (
  api: keyof ApisToCheck,
  { messaging, crm, billing }: ApisToCheck,
  run: CheckRun,
): Promise<SeenOnTheWire> => {
  if (api === 'messaging' && messaging) return checkMessaging(messaging, run);
  if (api === 'crm' && crm) return checkCrm(crm, run);
  if (api === 'billing' && billing) return checkBilling(billing, run);
  return { api, skewMs: undefined, sent: [] };
};

/** Returns the preset that an API is made with. */
export const presetOf = (api: keyof ApisToCheck, { messaging, crm, billing }: ApisToCheck): PresetName | undefined =>
  presetNamed(
    { messaging: messaging?.platform, crm: crm?.dialect?.name, billing: billing && platformOf(billing) }[api],
  );

const platformOf = (billing: BillingOptions): string | undefined =>
  'own' in billing ? undefined : billing.dialect?.name;

const checkMessaging = (options: MessagingOptions, run: CheckRun) =>
  checkClient<MessagingClient, MessagingOptions>(
    {
      api: 'messaging',
      options,
      make: createMessagingClient,
      reads: messagingReads,
      preset: presetOf('messaging', { messaging: options }),
      version: options.version,
      others: (client, signal) => checkAdmin(client, options.adminId, signal),
    },
    run,
  );

const checkCrm = (options: CrmOptions, run: CheckRun) => {
  const preset = presetOf('crm', { crm: options });
  return checkClient<CrmClient, CrmOptions>(
    {
      api: 'crm',
      options,
      make: createCrmClient,
      reads: crmReads,
      preset,
      version: options.version,
      others: async (_, signal) => (preset === 'salesforce' ? checkSalesforceVersion(options, signal) : []),
    },
    run,
  );
};

const checkBilling = (options: BillingOptions, run: CheckRun) =>
  checkClient<BillingClient, ConnectionOptions>(
    {
      api: 'billing',
      options: connectionOf(options),
      make: (changed) => createBillingClient(withConnection(options, changed)),
      reads: billingReads,
      preset: presetOf('billing', { billing: options }),
      version: versionOf(connectionOf(options)),
    },
    run,
  );

const versionOf = ({ version }: Pick<BillingConnection, 'version'>): string => {
  if (version === undefined || typeof version === 'string') return 'in the base address';
  return 'path' in version ? version.path : version.header.value;
};

/** Checks that the agent's admin exists. No finding if the workspace doesn't list its admins. */
const checkAdmin = async (
  messaging: Pick<MessagingClient, 'admins'>,
  setting: Setting | undefined,
  signal: AbortSignal,
): Promise<readonly Checked[]> => {
  const { ok, warning, problem } = findingsAbout('messaging');
  if (setting === undefined)
    return [warning('admin', 'no admin is set: notes and replies need one each time', 'messaging.adminId')];
  const adminId = readSetting('messaging.adminId', setting);
  const admins = await messaging.admins.list({ signal }).catch((error: unknown) => {
    if (error instanceof IntegrationError) return undefined;
    throw error;
  });
  if (!admins) return [];
  const isThere = admins.data.some(({ id }) => id === adminId);
  if (isThere) return [ok('admin', `admin ${adminId} is in the workspace`)];
  return [problem('admin', `the workspace has no admin ${adminId}`, 'messaging.adminId: the id of one that it has')];
};
