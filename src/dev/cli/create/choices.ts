import type { Platform } from '../platforms/platform.ts';
import { platforms } from '../platforms/platforms.ts';

/** The choices of a starter. Each choice has a folder below templates, and needs these packages. */
export interface Choice {
  readonly packages?: Readonly<Record<string, string>>;
  readonly devPackages?: Readonly<Record<string, string>>;
  /** The variables to fill in before it talks to the real platform. */
  readonly variables?: readonly StarterVariable[];
}

/** A variable of the starter, and what it holds where its name doesn't say it. */
export interface StarterVariable {
  readonly name: string;
  readonly holds?: string;
}

const named = (...names: readonly string[]): readonly StarterVariable[] => names.map((name) => ({ name }));

/** Returns the variables that a starter reads. */
const variablesOf = ({ variables }: Platform): readonly StarterVariable[] =>
  variables.filter(({ isOfTheCommandLine }) => !isOfTheCommandLine);

const server: Choice = { devPackages: { '@types/node': '^24.0.0', typescript: '^6.0.0' } };

const frameworks = {
  express: {
    packages: { express: '^5.3.0' },
    devPackages: { ...server.devPackages, '@types/express': '^5.0.6' },
  },
  hono: { ...server, packages: { '@hono/node-server': '^2.1.0', hono: '^4.13.0' } },
} as const satisfies Readonly<Record<string, Choice>>;

const models = {
  openai: { packages: { openai: '^7.57.0' }, variables: named('OPENAI_API_KEY') },
  anthropic: { packages: { '@anthropic-ai/sdk': '^1.12.0' }, variables: named('ANTHROPIC_API_KEY') },
  gemini: { packages: { '@google/genai': '^3.1.0' }, variables: named('GEMINI_API_KEY') },
} as const satisfies Readonly<Record<string, Choice>>;

/** Asks for tokens. */
const oauth = { oauth4webapi: '^3.8.8' };

const messaging = {
  default: {
    variables: named(
      'MESSAGING_BASE_URL',
      'MESSAGING_TOKEN',
      'MESSAGING_PLATFORM',
      'MESSAGING_VERSION',
      'MESSAGING_ADMIN_ID',
    ),
  },
  intercom: { variables: variablesOf(platforms.intercom) },
  zendesk: { packages: oauth, variables: variablesOf(platforms.zendesk) },
} as const satisfies Readonly<Record<string, Choice>>;

const crm = {
  default: { variables: named('CRM_BASE_URL', 'CRM_TOKEN', 'CRM_VERSION') },
  salesforce: { packages: oauth, variables: variablesOf(platforms.salesforce) },
  hubspot: { variables: variablesOf(platforms.hubspot) },
} as const satisfies Readonly<Record<string, Choice>>;

const billing = {
  default: { variables: named('BILLING_BASE_URL', 'BILLING_API_KEY') },
  stripe: { variables: variablesOf(platforms.stripe) },
} as const satisfies Readonly<Record<string, Choice>>;

/** The choices by option; the first one is the default. */
export const choices: Readonly<Record<ChoiceName, Readonly<Record<string, Choice>>>> = {
  framework: frameworks,
  model: models,
  messaging,
  crm,
  billing,
};

export type ChoiceName = 'framework' | 'model' | 'messaging' | 'crm' | 'billing';

/** The chosen parts, such as `{ framework: 'hono', … }`. */
export type Chosen = Readonly<Record<ChoiceName, string>>;
