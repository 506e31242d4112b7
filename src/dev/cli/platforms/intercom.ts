import { pinnedVersion } from '../../../messaging/intercom/preset.ts';
import type { Platform } from './platform.ts';

export const intercom: Platform = {
  title: 'Intercom',
  page: 'intercom.md',
  version: pinnedVersion,
  changeVersion: 'intercom({ version })',
  checkedOn: '2026-11-26',
  sources: [
    {
      title: 'authentication',
      url: 'https://developers.intercom.com/docs/build-an-integration/learn-more/authentication',
    },
    { title: 'description of 2.16', url: 'https://github.com/intercom/Intercom-OpenAPI' },
  ],
  steps: [
    'In the Developer Hub, choose *New app*, then *Configure → Authentication*. Its *Access Token* is for your own workspace, and never expires.',
    'Choose the [permissions](credentials.md#intercom) on the same page.',
    '`messaging.admins.list()` returns the `id` for `adminId`.',
    "An app for other people's workspaces uses [OAuth](credentials.md#a-customers-consent).",
  ],
  variables: [
    { name: 'MESSAGING_TOKEN', holds: 'the access token of the app' },
    { name: 'MESSAGING_ADMIN_ID', holds: 'the id of the admin that writes' },
  ],
  ends: [],
};
