import { salesforceVersion } from '../../../crm/salesforce/salesforce.ts';
import type { Platform } from './platform.ts';

const policy = {
  title: 'end of life',
  url: 'https://developer.salesforce.com/docs/platform/connect-rest-api/guide/intro_api_eol',
};

export const salesforce: Platform = {
  title: 'Salesforce',
  page: 'salesforce.md',
  version: salesforceVersion,
  changeVersion: 'salesforce({ version })',
  checkedOn: '2026-11-26',
  sources: [
    policy,
    { title: 'connected apps', url: 'https://help.salesforce.com/s/articleView?id=005228017' },
    {
      title: 'client credentials',
      url: 'https://help.salesforce.com/apex/HTViewHelpDoc?id=xcloud.meta_configure_client_credentials_flow_for_external_client_apps.htm',
    },
  ],
  steps: [
    '*Setup → External Client App Manager → New*: a name, your e-mail, *Distribution State* Local. Under *API*, enable OAuth with any callback address and the scope `api`. No connected app can be made any more.',
    'Under *Flow Enablement*, choose *Client Credentials*, or *JWT Bearer* with a certificate. *Create*.',
    'Under *Policies*, *Edit*: *Admin approved users are pre-authorized* with a permission set. For client credentials, set a *Run As* user with [no more permissions than it needs](credentials.md#salesforce).',
    '*Settings* shows *Consumer Key* and *Secret*.',
    'Add a custom text field to leads, tasks, opportunities, cases and events: 255 characters, external id, and if possible unique and case-sensitive.',
  ],
  variables: [
    { name: 'CRM_BASE_URL', holds: 'the address of the org, such as https://acme.my.salesforce.com' },
    { name: 'CRM_CLIENT_ID', holds: 'the Consumer Key of the external client app' },
    { name: 'CRM_CLIENT_SECRET', holds: 'its Consumer Secret' },
  ],
  ends: [
    {
      what: 'versions 31.0 to 40.0',
      on: '2028-06',
      instead: '41.0 or newer',
      source: policy,
      inText: /version: '(?:3[1-9]|40)\.0'/,
      inRequest: /\/services\/data\/v(?:3[1-9]|40)\.0\//,
    },
  ],
};
