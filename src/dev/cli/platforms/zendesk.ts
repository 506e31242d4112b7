import type { Platform } from './platform.ts';

const migration = {
  title: 'migrating to OAuth',
  url: 'https://developer.zendesk.com/documentation/api-basics/authentication/oauth-migration',
};

export const zendesk: Platform = {
  title: 'Zendesk',
  page: 'zendesk.md',
  version: 'api/v2',
  checkedOn: '2026-11-26',
  sources: [migration, { title: 'OAuth clients', url: 'https://support.zendesk.com/hc/en-us/articles/4408845965210' }],
  steps: [
    "In the Admin Center, under *People*, add a team member for the voice agent. Its role must see all tickets, add users, and write public and internal comments; a light agent can't.",
    '**Sign in as that team member:** the tokens act as the maker of their client.',
    '*Apps and integrations → APIs → OAuth clients → Add OAuth client*: kind *Confidential*, scopes `read` and `write`.',
    'Its *Identifier* is `clientId`. *Save* shows the *Secret* once: keep it in your secret manager.',
    '`messaging.admins.me()` returns the `id` for `adminId`.',
    'Check your triggers. One that sends `{{ticket.description}}` or `{{ticket.comments}}` decides by itself what it shows.',
  ],
  variables: [
    { name: 'MESSAGING_SUBDOMAIN', holds: 'what comes before .zendesk.com' },
    { name: 'MESSAGING_CLIENT_ID', holds: 'the Identifier of the OAuth client' },
    { name: 'MESSAGING_CLIENT_SECRET', holds: 'its secret' },
    { name: 'MESSAGING_ADMIN_ID', holds: 'the id of the agent that writes' },
  ],
  ends: [
    {
      what: 'new API tokens',
      on: '2026-10-27',
      instead: 'an OAuth client',
      source: migration,
      inText: /\badd (?:a|an API) token\b/,
    },
    {
      what: "OAuth clients whose tokens don't expire",
      on: '2027-04-01',
      instead: 'tokens that expire',
      source: { title: 'article', url: 'https://support.zendesk.com/hc/en-us/articles/10212201463962' },
    },
    {
      what: 'API tokens (`zendeskToken`)',
      on: '2027-04-30',
      instead: 'an OAuth client',
      source: migration,
      inText: /\bzendeskToken\b/,
      inRequest: /^Basic /,
    },
  ],
};
