import { bearer } from '../../src/auth/index.ts';
import { type CrmClient, type CrmOptions, createCrmClient } from '../../src/crm/index.ts';
import { salesforce, type SalesforceOptions } from '../../src/crm/salesforce/index.ts';
import {
  createFakePlatform,
  type FakePlatform,
  type FakeSalesforceOptions,
  testCredentials,
} from '../../src/dev/testing/index.ts';

export interface SalesforceTest {
  /** Options of the preset. */
  readonly preset?: SalesforceOptions;
  /** Options of the fake org. */
  readonly org?: Omit<FakeSalesforceOptions, 'dialect'>;
  /** The options of the client; they win. */
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
    fetch: fetchFrom(platform),
    ...client,
  });

const authenticate = bearer(() => testCredentials.crm);

const fetchFrom =
  (platform: FakePlatform): typeof fetch =>
  async (input) => {
    const request = new Request(input);
    const { pathname, search } = new URL(request.url);
    const { status, headers, body } = platform.handle('crm', {
      method: request.method,
      url: `${pathname}${search}`,
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
    });
    return new Response(body === '' ? null : body, { status, headers });
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
