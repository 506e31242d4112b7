import { describe, expect, test } from 'vitest';
import { endProblems, ownFiles } from '../../scripts/check-ends.ts';
import type { Platform } from '../../src/dev/cli/platforms/platform.ts';
import { platforms } from '../../src/dev/cli/platforms/platforms.ts';

const source = { title: 'changelog', url: 'https://acme.example/changelog' };
const acme: Platform = {
  ...platforms.stripe,
  title: 'Acme',
  ends: [
    { what: 'v1 paths', on: '2027-03-31', instead: 'v2 paths', source, inText: /\/v1\// },
    { what: 'passwords', on: '2026-02', instead: 'keys', source, inText: /basic\(/ },
    { what: 'a console', on: '2026-12-01', instead: 'the new one', source },
  ],
};

const problemsOn = (day: string, texts: Readonly<Record<string, string>>) =>
  endProblems([acme], new Map(Object.entries(texts)), new Date(`${day}T12:00:00Z`));

const uses = { 'src/a.ts': "get('/v1/users')", 'docs/a.md': 'ask /v1/users', 'src/b.ts': "get('/v2/users')" };

describe('the check of what ends', () => {
  test.each([
    ['2026-12-30', 0],
    ['2026-12-31', 1],
    ['2027-03-31', 1],
    ['2029-01-01', 1],
  ])('on %s finds %d use of what ends on 2027-03-31', (day, count) => {
    expect(problemsOn(day, uses)).toHaveLength(count);
  });

  test('is one sentence for each fact, with its files and what replaces it', () => {
    expect(problemsOn('2027-01-15', { ...uses, 'README.md': 'basic(user)' })).toEqual([
      'Acme: v1 paths end on 2027-03-31, and src/a.ts, docs/a.md use it: take v2 paths (https://acme.example/changelog).',
      'Acme: passwords ended in 2026-02, and README.md use it: take keys (https://acme.example/changelog).',
    ]);
  });

  test('says nothing of what is not used, or cannot be', () => {
    expect(problemsOn('2030-01-01', { 'src/b.ts': "get('/v2/users')" })).toEqual([]);
  });
});

test('every use is looked for in pages, sources, templates and examples, and not in the facts themselves', () => {
  const files = [...ownFiles().keys()];

  for (const known of ['README.md', 'docs/zendesk.md', 'src/index.ts', 'templates/crm/hubspot.ts'])
    expect(files).toContain(known);
  expect(files.filter((file) => /platforms\/(?:hubspot|ends)\.ts|decisions|migrating|node_modules/.test(file))).toEqual(
    ['examples/platforms/hubspot.ts'],
  );
});

test('the facts find what they mean', () => {
  const day = new Date('2040-01-01');
  const found = (text: string) => endProblems(Object.values(platforms), new Map([['a.ts', text]]), day).length;

  expect(
    Object.fromEntries(
      [
        'crm/v3/objects',
        '/crm/v4/objects/contacts',
        'https://api.hubapi.com/oauth/v1/token',
        '/oauth/2026-03/token',
        'authenticate: zendeskToken({ email, token })',
        "salesforce({ version: '40.0' })",
        "salesforce({ version: '60.0' })",
        'bearer(token)',
      ].map((text) => [text, found(text)]),
    ),
  ).toEqual({
    'crm/v3/objects': 1,
    '/crm/v4/objects/contacts': 1,
    'https://api.hubapi.com/oauth/v1/token': 1,
    '/oauth/2026-03/token': 1,
    'authenticate: zendeskToken({ email, token })': 1,
    "salesforce({ version: '40.0' })": 1,
    "salesforce({ version: '60.0' })": 0,
    'bearer(token)': 0,
  });
});
