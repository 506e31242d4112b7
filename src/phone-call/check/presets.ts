/** The names of the presets. */
export type PresetName = 'intercom' | 'zendesk' | 'salesforce' | 'hubspot' | 'stripe';

/** The preset of a platform, as people call that. */
export const presetNamed = (platform: string | undefined): PresetName | undefined => {
  const name = String(platform).toLowerCase();
  return isPreset(name) ? name : undefined;
};

/** Advice about a credential that the platform refuses. */
export const adviceOnRefusal: Readonly<Record<PresetName, string>> = {
  intercom: "copy the access token again from the app's Authentication page, and check the region",
  zendesk:
    "compare the client's Identifier and secret with Admin Center, Apps and integrations, APIs, OAuth clients: a token acts as the person who made it, who must be an active agent",
  salesforce:
    'the session has ended or the app is not allowed: check the external client app, its policies and Run As user, and the address of the org',
  hubspot: 'copy the service key again from Development, Keys, Service keys, or the token from the Auth tab of the app',
  stripe: 'copy the restricted key again from the Dashboard, and check whether it is for a sandbox or for live mode',
};

const isPreset = (name: string): name is PresetName => Object.hasOwn(adviceOnRefusal, name);
