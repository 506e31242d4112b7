import { newestVersion } from '../../../crm/hubspot/versions.ts';
import type { Platform } from './platform.ts';

const changelog = 'https://developers.hubspot.com/changelog';

export const hubspot: Platform = {
  title: 'HubSpot',
  page: 'hubspot.md',
  version: newestVersion,
  changeVersion: 'hubspot({ version })',
  checkedOn: '2026-11-26',
  sources: [
    { title: 'service keys', url: `${changelog}/service-keys` },
    {
      title: 'their set-up',
      url: 'https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/account-service-keys',
    },
    { title: 'write rules', url: `${changelog}/crm-api-write-validation-enforcement` },
    {
      title: 'webhooks',
      url: 'https://developers.hubspot.com/docs/apps/developer-platform/add-features/configure-webhooks',
    },
  ],
  steps: [
    '*Development → Keys → Service keys → Create service key*. It takes a super admin, or *Developer tools access*.',
    "*Add new scope*, for the scopes below. You can only add your own, and the key outlives your account. *Create* shows it; it doesn't expire.",
    "Webhooks need a project app of the HubSpot CLI: `hs project create`, then `hs project upload`. They're signed with its client secret, under *Development → Projects*, the app, *Auth*.",
  ],
  notes: [
    `| For | Scopes |
|---|---|
| callers, tasks, calls, notes, meetings | \`crm.objects.contacts.read\`, \`.write\` |
| companies and deals | \`crm.objects.companies.read\`, \`.write\`, \`crm.objects.deals.read\`, \`.write\` |
| cases | \`tickets\` |
| owners | \`crm.objects.owners.read\` |`,
    "**A contact with a phone number alone may be refused:** look at the account's rules. They're under *Settings → Properties*, conditional logic, and *Settings → Objects → Contacts → Create Record*.",
  ],
  variables: [{ name: 'CRM_TOKEN', holds: 'the service key' }],
  ends: [
    {
      what: 'new private apps',
      on: '2026-10-26',
      instead: 'service keys, project apps',
      source: { title: 'changelog', url: `${changelog}/legacy-private-app-creation-sunset` },
      inText: /create a private app|Legacy apps/,
    },
    {
      what: 'OAuth v1 endpoints',
      on: '2027-02-16',
      instead: '`/oauth/2026-09/token`',
      source: { title: 'changelog', url: `${changelog}/v1-oauth-api-deprecation` },
      inText: /\/oauth\/v1\//,
    },
    {
      what: 'v4 paths, unsupported',
      on: '2027-03-30',
      instead: 'dated paths',
      source: { title: 'changelog', url: `${changelog}/deprecating-support-for-hubspot-v4-apis` },
      inText: /crm\/v4\//,
      inRequest: /\/crm\/v4\//,
    },
    {
      what: 'v1 to v3 paths, existing private apps, unsupported',
      on: '2027-09',
      instead: 'dated paths, service keys',
      source: { title: 'changelog', url: changelog },
      inText: /crm\/v3\//,
      inRequest: /\/crm\/v[1-3]\//,
    },
    {
      what: '2026-03 paths, 18 months old',
      on: '2027-09',
      instead: 'the newest version',
      source: { title: 'changelog', url: changelog },
      inText: /\/2026-03\b(?!-)/,
      inRequest: /\/2026-03\//,
    },
    {
      what: '2026-09 paths, 18 months old',
      on: '2028-03',
      instead: 'the newest version',
      source: { title: 'changelog', url: changelog },
      inText: /\b2026-09\b(?!-)/,
      inRequest: /\/2026-09\//,
    },
  ],
};
