import { optionsFromEnvironment } from '../../src/dev/cli/environment-options.ts';
import type { Platform } from '../../src/dev/cli/platforms/platform.ts';
import { type PlatformName, platforms } from '../../src/dev/cli/platforms/platforms.ts';
import type { IntegrationOptions } from '../../src/integration.ts';

/** A test account that may be written to. */
export interface Account {
  readonly name: PlatformName;
  readonly platform: Platform;
  readonly options: IntegrationOptions;
  /** The account of Stripe's customer who pays. */
  readonly customerEmail: string | undefined;
  readonly webhook: { readonly secret: string; readonly port: number; readonly origin: string } | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The accounts of which at least one variable is set, and one sentence for each that isn't whole or isn't for tests. */
export const accountsIn = (
  env: Environment,
): { readonly accounts: readonly Account[]; readonly problems: readonly string[] } => {
  const named = entries.filter(([name, platform]) => variablesOf(name, platform).some(({ live }) => env[live]));
  const problems = named.flatMap(([name, platform]) => problemsOf(name, platform, env));
  return {
    accounts: problems.length > 0 ? [] : named.map(([name, platform]) => toAccount(name, platform, env)),
    problems,
  };
};

/** A line for each variable. */
export const neededVariables = (): readonly string[] => [
  ...entries.flatMap(([name, platform]) => [
    '',
    `${platform.title}, see docs/${platform.page}:`,
    ...variablesOf(name, platform).map(({ live, holds }) => `  ${live}  ${holds}`),
    ...(name === 'stripe' ? [`  ${customerEmail}  of a customer with an open invoice and a saved card`] : []),
    ...(hasWebhooks(name) ? [`  ${secretOf(name)}  optional: what signs its webhooks`] : []),
    `  ${addressOf(name)}  optional: another address, such as a fake's`,
  ]),
  '',
  `Webhooks: ${port} on this machine, to which the public ${origin}/PLATFORM leads.`,
];

const entries = Object.entries(platforms) as readonly (readonly [PlatformName, Platform])[];

const port = 'WEBHOOK_PORT';
const origin = 'WEBHOOK_ORIGIN';
const customerEmail = 'STRIPE_CUSTOMER_EMAIL';

const prefixed = (name: PlatformName, rest: string) => `${name.toUpperCase()}_${rest}`;
const secretOf = (name: PlatformName) => prefixed(name, 'WEBHOOK_SECRET');
const addressOf = (name: PlatformName) => prefixed(name, 'BASE_URL');
const hasWebhooks = (name: PlatformName) => name !== 'salesforce';

/** The command line's variables, with the platform's name in place of the API's: five accounts fit into one environment. */
const variablesOf = (name: PlatformName, { variables }: Platform) =>
  variables.map((variable) => {
    const [api = '', ...rest] = variable.name.split('_');
    return { ...variable, api, live: prefixed(name, rest.join('_')) };
  });

const problemsOf = (name: PlatformName, platform: Platform, env: Environment): readonly string[] => {
  const missing = variablesOf(name, platform).filter(({ live }) => !env[live] && !isGivenByAddress(name, live, env));
  return [
    ...missing.map(({ live, holds }) => `${live} is not set: ${holds}.`),
    ...(name === 'stripe' && !env[customerEmail] ? [`${customerEmail} is not set: the customer who pays.`] : []),
    ...(name === 'stripe' && /^(?:sk|rk)_live/.test(env['STRIPE_API_KEY'] ?? '')
      ? ['STRIPE_API_KEY is for real money: use a key of a sandbox.']
      : []),
    ...(env[secretOf(name)] && !(env[port] && env[origin])
      ? [`${secretOf(name)} needs ${port} and ${origin}: where the webhooks arrive.`]
      : []),
  ];
};

/** With an address, the subdomain says nothing more. */
const isGivenByAddress = (name: PlatformName, live: string, env: Environment): boolean =>
  live.endsWith('_SUBDOMAIN') && Boolean(env[addressOf(name)]);

const toAccount = (name: PlatformName, platform: Platform, env: Environment): Account => {
  const variables = variablesOf(name, platform);
  const api = variables[0]?.api ?? '';
  const secret = env[secretOf(name)];
  const options = optionsFromEnvironment({
    [`${api}_DIALECT`]: name,
    [`${api}_BASE_URL`]: env[addressOf(name)],
    ...Object.fromEntries(variables.map((variable) => [variable.name, env[variable.live]])),
  });
  return {
    name,
    platform,
    options: options ?? {},
    customerEmail: env[customerEmail],
    webhook: secret ? { secret, port: Number(env[port]), origin: env[origin] ?? '' } : undefined,
  };
};
