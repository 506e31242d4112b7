import { hubspot } from './hubspot.ts';
import { intercom } from './intercom.ts';
import type { Platform } from './platform.ts';
import { salesforce } from './salesforce.ts';
import { stripe } from './stripe.ts';
import { zendesk } from './zendesk.ts';

/** The platforms by the names of their presets. */
export const platforms = { intercom, zendesk, salesforce, hubspot, stripe } as const satisfies Readonly<
  Record<string, Platform>
>;

export type PlatformName = keyof typeof platforms;
