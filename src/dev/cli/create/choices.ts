import type { Platform } from '../platforms/platform.ts';
import { platforms } from '../platforms/platforms.ts';

/** The choices of a starter. Each choice has a part below templates, and needs these packages. */
export interface Choice {
  /** A few words for a person who chooses. */
  readonly says: string;
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

/** Returns a platform as it is today: its pinned version, and what a starter needs of an account. */
const of = ({ title, version, variables: all }: Platform, packages: Choice['packages'] = {}): Choice => {
  const variables = all.filter(({ isOfTheCommandLine }) => !isOfTheCommandLine);
  const needs = variables.map(({ holds }) => holds).join(', ');
  return { says: `${title} ${version}. It needs: ${needs}`, packages, variables };
};

const own = (...names: readonly string[]): Choice => ({
  says: 'a system of your own, or of the sandbox, with the default API',
  variables: named(...names),
});

const devPackages = { '@types/node': '^24.0.0', typescript: '^6.0.0' };

const frameworks = {
  express: {
    says: 'a server on Express, for a voice platform that sends requests',
    packages: { express: '^5.3.0' },
    devPackages: { ...devPackages, '@types/express': '^5.0.6' },
  },
  hono: { says: 'the same on Hono', packages: { '@hono/node-server': '^2.1.0', hono: '^4.13.0' }, devPackages },
  livekit: {
    says: 'an agent on LiveKit Agents',
    packages: {
      '@livekit/agents': '^1.9.0',
      '@livekit/agents-plugin-openai': '^1.9.0',
      '@livekit/rtc-node': '^0.13.34',
    },
    devPackages,
    variables: named('LIVEKIT_URL', 'LIVEKIT_API_KEY', 'LIVEKIT_API_SECRET'),
  },
} as const satisfies Readonly<Record<string, Choice>>;

const models = {
  openai: { says: 'OpenAI', packages: { openai: '^7.57.0' }, variables: named('OPENAI_API_KEY') },
  anthropic: {
    says: 'Anthropic',
    packages: { '@anthropic-ai/sdk': '^1.12.0' },
    variables: named('ANTHROPIC_API_KEY'),
  },
  gemini: { says: 'Gemini', packages: { '@google/genai': '^3.1.0' }, variables: named('GEMINI_API_KEY') },
} as const satisfies Readonly<Record<string, Choice>>;

/** Asks for tokens. */
const oauth = { oauth4webapi: '^3.8.8' };

const messaging = {
  default: own(
    'MESSAGING_BASE_URL',
    'MESSAGING_TOKEN',
    'MESSAGING_PLATFORM',
    'MESSAGING_VERSION',
    'MESSAGING_ADMIN_ID',
  ),
  intercom: of(platforms.intercom),
  zendesk: of(platforms.zendesk, oauth),
} as const satisfies Readonly<Record<string, Choice>>;

const crm = {
  default: own('CRM_BASE_URL', 'CRM_TOKEN', 'CRM_VERSION'),
  salesforce: of(platforms.salesforce, oauth),
  hubspot: of(platforms.hubspot),
} as const satisfies Readonly<Record<string, Choice>>;

const billing = {
  default: own('BILLING_BASE_URL', 'BILLING_API_KEY'),
  stripe: of(platforms.stripe),
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

/** The starter that runs in LiveKit's own process, and speaks with OpenAI's model. */
export const isLiveKit = ({ framework }: Pick<Chosen, 'framework'>): boolean => framework === 'livekit';
