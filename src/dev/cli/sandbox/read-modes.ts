import type { ApiName, FakeApiOptions, FakeBillingOptions } from '../../testing/index.ts';
import { unknownWord, wrongUsage } from '../command-error.ts';

/** The modes of each API, as options of the fake platform. */
export interface Modes {
  readonly messaging: FakeApiOptions;
  readonly crm: FakeApiOptions;
  readonly billing: FakeBillingOptions;
}

/** The notation of modes, for the help. */
export const modeWords =
  'documented (only the default API’s endpoints), no-keys, slow:3000 (ms), bytes (one-byte chunks), formatted-phones; for billing also every-invoice (the list ignores its filters) and several-customers';

/** Reads `crm=documented,slow:3000`, once per API. Throws `CommandError`. */
export const readModes = (texts: readonly string[]): Modes => {
  const modes = { messaging: {}, crm: {}, billing: {} };
  for (const text of texts) {
    const [api, list, ...more] = text.split('=');
    if ((api !== 'messaging' && api !== 'crm' && api !== 'billing') || !list || more.length > 0)
      throw wrongUsage(`--mode ${text} cannot be read`, 'it is written API=MODE,MODE, such as crm=documented,no-keys');
    for (const word of list.split(',')) Object.assign(modes[api], readOne(word, api));
  }
  return modes;
};

const readOne = (word: string, api: ApiName): FakeBillingOptions => {
  const [, slow] = /^slow:(\d{1,6})$/.exec(word) ?? [];
  if (slow !== undefined) return { latencyMs: Number(slow) };
  if (Object.hasOwn(ofEveryApi, word)) return ofEveryApi[word] ?? {};
  if (api === 'billing' && Object.hasOwn(ofBilling, word)) return ofBilling[word] ?? {};
  const words = Object.keys(api === 'billing' ? { ...ofEveryApi, ...ofBilling } : ofEveryApi);
  const otherwise = `the modes are ${modeWords}`;
  throw unknownWord(`there is no mode "${word}" for ${api}`, { typed: word, words, otherwise });
};

const ofEveryApi: Readonly<Record<string, FakeApiOptions>> = {
  documented: { endpoints: 'documented' },
  'no-keys': { idempotency: 'none' },
  bytes: { bodies: 'bytes' },
  'formatted-phones': { phones: 'formatted' },
};

const ofBilling: Readonly<Record<string, FakeBillingOptions>> = {
  'every-invoice': { invoiceFilter: 'ignored' },
  'several-customers': { severalCustomers: 'list' },
};
