import type { IntegrationOptions } from 'voice-agent-integrations';
import { apiKey, bearer } from 'voice-agent-integrations/auth';
import { stripe } from 'voice-agent-integrations/billing/stripe';
import { salesforce } from 'voice-agent-integrations/crm/salesforce';
import { intercom } from 'voice-agent-integrations/messaging/intercom';
import type { FakePlatformOptions } from 'voice-agent-integrations/testing';

/** Where one system is and what opens it. */
interface Place {
  readonly baseUrl: string;
  readonly credential: string;
  readonly adminId: string;
}

/** One of the three systems: what the fake platform plays, and the options of its client. */
interface System<Api extends 'messaging' | 'crm' | 'billing'> {
  readonly fake: NonNullable<FakePlatformOptions[Api]>;
  readonly connect: (place: Place) => NonNullable<IntegrationOptions[Api]>;
}

/** The three systems of a demo. */
export interface ChosenSystems {
  readonly messaging: System<'messaging'>;
  readonly crm: System<'crm'>;
  readonly billing: System<'billing'>;
}

/** The bundled platform honours idempotency keys in all three APIs. The default believes that of billing alone. */
const idempotency = 'key';
const maximumPayment = 5000;
const authenticated = ({ baseUrl, credential }: Place) => ({ baseUrl, authenticate: bearer(() => credential) });

/** The default API that the clients speak. */
const ownApis: ChosenSystems = {
  messaging: {
    fake: {},
    connect: (place) => ({
      ...authenticated(place),
      platform: 'Acme',
      version: '2.11',
      adminId: place.adminId,
      idempotency,
    }),
  },
  crm: { fake: {}, connect: (place) => ({ ...authenticated(place), version: '60.0', idempotency }) },
  billing: {
    fake: {},
    connect: ({ baseUrl, credential }) => ({
      baseUrl,
      authenticate: apiKey('X-Api-Key', () => credential),
      version: { path: 'v1' },
      maximumPayment,
    }),
  },
};

const presets: Readonly<Record<string, Partial<ChosenSystems>>> = {
  intercom: {
    messaging: {
      fake: { dialect: 'intercom', searchDelayMs: 0 },
      connect: (place) => ({ ...intercom(), ...authenticated(place), adminId: place.adminId }),
    },
  },
  salesforce: {
    crm: {
      fake: { dialect: 'salesforce', searchDelayMs: 0 },
      connect: (place) => ({ ...salesforce({ externalIdField: 'Call_Id__c' }), ...authenticated(place) }),
    },
  },
  stripe: {
    billing: {
      fake: { dialect: 'stripe', searchDelayMs: 0 },
      connect: (place) => ({
        ...stripe({ currency: 'EUR' }),
        ...authenticated({ ...place, baseUrl: `${place.baseUrl}/v1` }),
        maximumPayment,
      }),
    },
  },
};

/** What `--platforms` takes. */
const platformNames = Object.keys(presets);

/** `intercom,salesforce,stripe` in any order; the default API takes the place of what isn't named. */
export const choosePlatforms = (names = ''): ChosenSystems => {
  const chosen = names.split(',').filter(Boolean);
  const unknown = chosen.find((name) => !Object.hasOwn(presets, name));
  if (unknown !== undefined) throw new RangeError(`--platforms takes ${platformNames.join(', ')}, and not ${unknown}`);
  return Object.assign({ ...ownApis }, ...chosen.map((name) => presets[name]));
};
