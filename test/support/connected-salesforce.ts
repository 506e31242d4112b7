import { bearer } from '../../src/auth/index.ts';
import { type CrmClient, type CrmOptions, createCrmClient } from '../../src/crm/index.ts';
import { salesforce, type SalesforceOptions } from '../../src/crm/salesforce/index.ts';
import type { Transport } from '../../src/http/request.ts';
import {
  createFakePlatform,
  type FakePlatform,
  type FakeSalesforceOptions,
  testCredentials,
} from '../../src/testing/index.ts';

export interface SalesforceTest {
  /** Options of the preset. */
  readonly preset?: SalesforceOptions;
  /** Options of the fake org. */
  readonly org?: Omit<FakeSalesforceOptions, 'dialect'>;
  /** Of the client; they win. */
  readonly client?: Partial<CrmOptions>;
}

/** An org of the fake Salesforce on loopback, and a client with the preset that does not wait between attempts. */
export const connectSalesforce = async ({ preset, org, client }: SalesforceTest = {}) => {
  const platform = createFakePlatform({ crm: { dialect: 'salesforce', ...org } });
  const { crm: baseUrl } = await platform.listen();
  const clientOptions: CrmOptions = {
    ...salesforce(preset),
    baseUrl,
    authenticate,
    backoff: { minimumMs: 0, maximumMs: 0 },
    ...client,
  };
  return {
    platform,
    baseUrl,
    clientOptions,
    crm: createCrmClient(clientOptions),
    [Symbol.asyncDispose]: () => platform.close(),
  };
};

/** The same without sockets, for tests that ask thousands of times. */
export const salesforceInMemory = (
  platform: FakePlatform,
  { preset, client }: Omit<SalesforceTest, 'org'> = {},
): CrmClient =>
  createCrmClient({
    ...salesforce(preset),
    baseUrl: 'https://acme.my.salesforce.com',
    authenticate,
    transport: transportTo(platform),
    ...client,
  });

const authenticate = bearer(() => testCredentials.crm);

const transportTo =
  (platform: FakePlatform): Transport =>
  async ({ method, url, headers, body = '' }) => {
    const {
      status,
      headers: answered,
      body: text,
    } = platform.handle('crm', {
      method,
      url: url.slice('https://acme.my.salesforce.com'.length),
      headers,
      body,
    });
    return { status, headers: new Map(Object.entries(answered)), text };
  };

/** Method and path of what was sent, without the version, in order. */
export const sentTo = (platform: FakePlatform): readonly string[] =>
  platform.requests.map(({ method, path }) => `${method} ${path.replace(/^\/services\/data\/v\d+\.\d\//, '')}`);

/** The queries that were sent, in order. */
export const queriesOf = (platform: FakePlatform): readonly string[] =>
  platform.requests.flatMap(({ path }) => {
    const q = new URL(path, 'http://org').searchParams.get('q');
    return q === null ? [] : [q];
  });
