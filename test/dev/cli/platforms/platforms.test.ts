import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { stripe } from '../../../../src/billing/stripe/index.ts';
import { choices } from '../../../../src/dev/cli/create/choices.ts';
import { environmentVariables } from '../../../../src/dev/cli/environment-options.ts';
import type { Platform } from '../../../../src/dev/cli/platforms/platform.ts';
import { type PlatformName, platforms } from '../../../../src/dev/cli/platforms/platforms.ts';
import { hubspot } from '../../../../src/crm/hubspot/index.ts';
import { salesforce } from '../../../../src/crm/salesforce/index.ts';
import { intercom } from '../../../../src/messaging/intercom/index.ts';
import { zendesk } from '../../../../src/messaging/zendesk/index.ts';

test('the facts have the versions that the presets pin', () => {
  const pinned: Readonly<Record<PlatformName, string>> = {
    hubspot: hubspot().version,
    zendesk: new URL(zendesk({ subdomain: 'acme' }).baseUrl).pathname.slice(1),
    intercom: intercom().version,
    salesforce: salesforce().version,
    stripe: Object(stripe({ currency: 'EUR' }).version).header.value,
  };

  expect(Object.fromEntries(Object.entries(platforms).map(([name, { version }]) => [name, version]))).toEqual(pinned);
});

describe.each(Object.entries(platforms) as [PlatformName, Platform][])('%s', (name, platform) => {
  test('has a page, days and addresses that can be looked up', () => {
    const days = [platform.checkedOn, ...platform.ends.map(({ on }) => on)];
    const addresses = [...platform.sources, ...platform.ends.map(({ source }) => source)].map(({ url }) => url);

    expect(existsSync(new URL(`../../../../docs/${platform.page}`, import.meta.url))).toBe(true);
    expect(days.filter((day) => !/^\d{4}-\d\d(?:-\d\d)?$/.test(day) || Number.isNaN(Date.parse(day)))).toEqual([]);
    expect(addresses.filter((url) => URL.parse(url)?.protocol !== 'https:')).toEqual([]);
  });

  test('asks for variables that the command line reads, in starters too', () => {
    const [first] = platform.variables;
    const api = first?.name.split('_')[0]?.toLowerCase() as 'messaging' | 'crm' | 'billing';
    const known = Object.keys(environmentVariables);

    expect(platform.variables.filter((variable) => !known.includes(variable.name))).toEqual([]);
    expect(choices[api][name]?.variables).toEqual(
      platform.variables.filter(({ isOfTheCommandLine }) => !isOfTheCommandLine),
    );
  });
});
