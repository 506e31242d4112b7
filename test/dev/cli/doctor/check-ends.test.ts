import { describe, expect, test } from 'vitest';
import { endWarnings } from '../../../../src/dev/cli/doctor/check-ends.ts';
import { platforms } from '../../../../src/dev/cli/platforms/platforms.ts';

const basic = 'Basic https://acme.zendesk.com/api/v2/users/search.json';
const bearer = basic.replace('Basic', 'Bearer');

const warned = (day: string, request: string, name: keyof typeof platforms = 'zendesk') =>
  endWarnings('messaging', { platform: platforms[name], sent: [bearer, request] }, new Date(day)).map(
    ({ message }) => message,
  );

describe('what ends', () => {
  test.each([
    ['half a year before', '2026-11-01', ['Zendesk: API tokens (`zendeskToken`) end on 2027-04-30']],
    ['after it', '2027-05-01', ['Zendesk: API tokens (`zendeskToken`) ended on 2027-04-30']],
    ['a year before', '2026-04-30', []],
  ])('is a warning %s', (_, day, messages) => {
    expect(warned(day, basic)).toEqual(messages);
  });

  test('is none for requests that do not use it', () => {
    expect(warned('2027-04-29', bearer)).toEqual([]);
  });

  test.each([
    ['hubspot', 'Bearer https://api.hubapi.com/crm/v3/objects/contacts', '2027-06-01'],
    ['hubspot', 'Bearer https://api.hubapi.com/crm/v4/objects/contacts/1', '2027-01-01'],
    ['salesforce', 'Bearer https://acme.my.salesforce.com/services/data/v40.0/query', '2028-01-01'],
  ] as const)('%s: %s is seen', (name, request, day) => {
    expect(warned(day, request, name).length).toBeGreaterThan(0);
    expect(warned(day, 'Bearer https://acme.example/v60.0/query', name)).toEqual([]);
  });

  test('says what to use, and where that is written', () => {
    expect(endWarnings('messaging', { platform: platforms.zendesk, sent: [basic] }, new Date('2027-01-01'))).toEqual([
      {
        level: 'warning',
        about: 'messaging',
        check: 'end',
        message: 'Zendesk: API tokens (`zendeskToken`) end on 2027-04-30',
        fix: `use an OAuth client; see docs/zendesk.md and ${platforms.zendesk.ends[2]?.source.url}`,
      },
    ]);
  });
});
