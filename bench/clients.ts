import { writeFile } from 'node:fs/promises';
import { barChart, type BarGroup } from './bar-chart.ts';
import { contact } from './answers.ts';
import { type Figure, figuresOf, type Extent } from './run.ts';
import type { Subject } from './measure.ts';
import { installPeers, requirePeer } from './peers.ts';
import { heading, spread, table } from './report.ts';
import { startServer } from './start-server.ts';
import { gets, posts } from './subjects.ts';

/**
 * What one call costs with the vendors' own clients, with ours and with bare ky, all in turns in one run.
 * Each asks the same server for its own paths and is answered the same body; none repeats anything. Ours checks the
 * answer, counts against a limit and a circuit and holds a deadline; what the others do of it, they do by default.
 */
export const clients = async (extent: Extent, command: string): Promise<string> => {
  await installPeers();
  using server = await startServer();
  const concurrencies = extent.concurrencies.filter((concurrency) => concurrency > 1);
  const get = await figuresOf(withVendors(gets(server.baseUrl), vendorGets(server.baseUrl)), {
    ...extent,
    concurrencies,
  });
  const post = await figuresOf(withVendors(posts(server.baseUrl), vendorPosts(server.baseUrl)), {
    ...extent,
    concurrencies,
  });
  // One concurrency is a short run, of which no picture is made.
  if (concurrencies.length > 1) await draw([bars('GET', get), bars('POST', post)]);
  return [
    heading(command),
    '',
    '### One call, compared with the vendors’ own clients',
    '',
    table(
      ['', 'concurrency', 'CPU per call, µs', 'CPU to bare ky', 'CPU of ours on transport/undici to it'],
      [...get, ...post].map((figure) => [
        figure.subject,
        figure.concurrency,
        spread(figure.cpuUs, 0),
        spread(figure.toFirst, 2),
        inverse(figure),
      ]),
    ),
    '',
  ].join('\n');
};

/** Bare ky first and ours on transport/undici second, since the others are multiples of these; without bare `fetch`. */
const withVendors = ([, ky, onKy, onUndici]: readonly Subject[], vendors: readonly Subject[]): readonly Subject[] =>
  [ky, onUndici, onKy, ...vendors].filter((subject) => subject !== undefined);

const inverse = ({ subject, toSecond: { median, lowest, highest } }: Figure): string =>
  subject.includes('transport/') ? '' : spread({ median: 1 / median, lowest: 1 / highest, highest: 1 / lowest }, 2);

const draw = (groups: readonly BarGroup[]): Promise<void> =>
  writeFile(
    new URL('../docs/images/cpu-per-client.svg', import.meta.url),
    barChart('CPU of one call at concurrency 16, to that of bare ky', groups),
  );

const bars = (name: string, figures: readonly Figure[]): BarGroup => ({
  name,
  bars: figures
    .filter(({ concurrency }) => concurrency === 16)
    .map(({ subject, toFirst }) => ({ name: subject.replace(/, (GET|POST)$/, ''), value: toFirst.median })),
});

interface Vendors {
  readonly intercom: {
    readonly contacts: {
      readonly find: (by: { readonly contact_id: string }, options: object) => Promise<unknown>;
      readonly create: (body: object, options: object) => Promise<unknown>;
    };
  };
  readonly jsforce: {
    readonly sobject: (type: string) => {
      readonly retrieve: (id: string) => Promise<unknown>;
      readonly create: (record: object) => Promise<unknown>;
    };
  };
  readonly openai: {
    readonly models: { readonly retrieve: (id: string) => Promise<unknown> };
    readonly chat: { readonly completions: { readonly create: (body: object) => Promise<unknown> } };
  };
  readonly stripe: {
    readonly customers: { readonly retrieve: (id: string) => Promise<unknown> };
    readonly paymentIntents: { readonly create: (body: object) => Promise<unknown> };
  };
}

type Made<Client> = new (...options: readonly unknown[]) => Client;

/** The lock fixes the versions, and with them these names. */
const connect = (baseUrl: string): Vendors => {
  const { IntercomClient } = requirePeer('intercom-client') as { IntercomClient: Made<Vendors['intercom']> };
  const { Connection } = requirePeer('jsforce') as { Connection: Made<Vendors['jsforce']> };
  const { OpenAI } = requirePeer('openai') as { OpenAI: Made<Vendors['openai']> };
  const Stripe = requirePeer('stripe') as Made<Vendors['stripe']>;
  const { hostname, port } = new URL(baseUrl);
  return {
    intercom: new IntercomClient({ token: 'test-token', environment: baseUrl }),
    jsforce: new Connection({ instanceUrl: baseUrl, accessToken: 'test-token', version: '60.0', maxRequest: 1_000 }),
    openai: new OpenAI({ apiKey: 'test-key', baseURL: baseUrl, maxRetries: 0 }),
    stripe: new Stripe('test-key', { host: hostname, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false }),
  };
};

const onlyOnce = { maxRetries: 0 };

const vendorGets = (baseUrl: string): readonly Subject[] => {
  const { intercom, jsforce, openai, stripe } = connect(baseUrl);
  return [
    { name: 'intercom-client, GET', call: () => intercom.contacts.find({ contact_id: contact.id }, onlyOnce) },
    { name: 'jsforce, GET', call: () => jsforce.sobject('Contact').retrieve(contact.id) },
    { name: 'openai, GET', call: () => openai.models.retrieve(contact.id) },
    { name: 'stripe, GET', call: () => stripe.customers.retrieve(contact.id) },
  ];
};

const vendorPosts = (baseUrl: string): readonly Subject[] => {
  const { intercom, jsforce, openai, stripe } = connect(baseUrl);
  const person = { email: contact.email, name: contact.name };
  return [
    { name: 'intercom-client, POST', call: () => intercom.contacts.create(person, onlyOnce) },
    { name: 'jsforce, POST', call: () => jsforce.sobject('Contact').create({ LastName: contact.name }) },
    {
      name: 'openai, POST',
      call: () => openai.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] }),
    },
    {
      name: 'stripe, POST',
      call: () => stripe.paymentIntents.create({ amount: 12_950, currency: 'usd', customer: 'cus_70' }),
    },
  ];
};
