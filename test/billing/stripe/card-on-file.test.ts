import { expect, test } from 'vitest';
import { cardOnFile, stripe } from '../../../src/billing/stripe/index.ts';
import { InvalidArgumentError } from '../../../src/core/errors.ts';
import { hubspot } from '../../../src/crm/hubspot/index.ts';

test.each<[what: string, customer: object, card: string | undefined]>([
  ['its id', { invoice_settings: { default_payment_method: 'pm_1' } }, 'pm_1'],
  ['the whole of it, expanded', { invoice_settings: { default_payment_method: { id: 'pm_2' } } }, 'pm_2'],
  ['none', { invoice_settings: { default_payment_method: null } }, undefined],
  ['an empty id', { invoice_settings: { default_payment_method: '' } }, undefined],
  ['no settings', {}, undefined],
  ['settings that are none', { invoice_settings: null }, undefined],
  ['a number', { invoice_settings: { default_payment_method: 7 } }, undefined],
])('the card on file of a customer with %s', (_what, customer, card) => {
  expect(cardOnFile({ id: 'cus_1', ...customer })).toBe(card);
});

test.each([
  ['stripe', (key?: never) => stripe({ currency: 'EUR', key })],
  ['hubspot', (key?: never) => hubspot({ key })],
])('%s takes a key, or leaves the credential to the client', (_name, preset) => {
  expect(preset()).not.toHaveProperty('authenticate');
  expect(preset((() => 'secret') as never)).toHaveProperty('authenticate');
  expect(() => preset('sk_live_1' as never)).toThrow(InvalidArgumentError);
});
