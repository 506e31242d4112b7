/** What a starter can be made of. Each choice has a folder below templates, and needs these packages. */
export interface Choice {
  readonly packages?: Readonly<Record<string, string>>;
  readonly devPackages?: Readonly<Record<string, string>>;
  /** What the person fills in before it talks to the real thing. */
  readonly variables?: readonly string[];
}

const server: Choice = { devPackages: { '@types/node': '^24.0.0', typescript: '^6.0.0' } };

const frameworks = {
  express: {
    packages: { express: '^5.3.0' },
    devPackages: { ...server.devPackages, '@types/express': '^5.0.6' },
  },
  fastify: { ...server, packages: { fastify: '^5.12.0' } },
  hono: { ...server, packages: { '@hono/node-server': '^2.1.0', hono: '^4.13.0' } },
  next: {
    packages: { next: '^16.4.0', react: '^19.3.0', 'react-dom': '^19.3.0' },
    devPackages: { ...server.devPackages, '@types/react': '^19.2.0' },
  },
} as const satisfies Readonly<Record<string, Choice>>;

const models = {
  openai: { packages: { openai: '^7.57.0' }, variables: ['OPENAI_API_KEY'] },
  anthropic: { packages: { '@anthropic-ai/sdk': '^1.12.0' }, variables: ['ANTHROPIC_API_KEY'] },
  gemini: { packages: { '@google/genai': '^3.1.0' }, variables: ['GEMINI_API_KEY'] },
} as const satisfies Readonly<Record<string, Choice>>;

const messaging = {
  default: {
    variables: [
      'MESSAGING_BASE_URL',
      'MESSAGING_TOKEN',
      'MESSAGING_PLATFORM',
      'MESSAGING_VERSION',
      'MESSAGING_ADMIN_ID',
    ],
  },
  intercom: { variables: ['MESSAGING_TOKEN', 'MESSAGING_ADMIN_ID'] },
  zendesk: {
    packages: { oauth4webapi: '^3.8.8' },
    variables: ['MESSAGING_SUBDOMAIN', 'MESSAGING_CLIENT_ID', 'MESSAGING_CLIENT_SECRET', 'MESSAGING_ADMIN_ID'],
  },
} as const satisfies Readonly<Record<string, Choice>>;

const crm = {
  default: { variables: ['CRM_BASE_URL', 'CRM_TOKEN', 'CRM_VERSION'] },
  salesforce: { variables: ['CRM_BASE_URL', 'CRM_TOKEN'] },
  hubspot: { variables: ['CRM_TOKEN'] },
} as const satisfies Readonly<Record<string, Choice>>;

const billing = {
  default: { variables: ['BILLING_BASE_URL', 'BILLING_API_KEY'] },
  stripe: { variables: ['BILLING_API_KEY', 'BILLING_CURRENCY'] },
} as const satisfies Readonly<Record<string, Choice>>;

/** By the option that chooses; the first one is the default. */
export const choices: Readonly<Record<ChoiceName, Readonly<Record<string, Choice>>>> = {
  framework: frameworks,
  model: models,
  messaging,
  crm,
  billing,
};

export type ChoiceName = 'framework' | 'model' | 'messaging' | 'crm' | 'billing';

/** What was chosen, such as `{ framework: 'hono', … }`. */
export type Chosen = Readonly<Record<ChoiceName, string>>;
