/**
 * The preset that makes the CRM client speak to HubSpot.
 *
 * @module
 */
export { hubspotLogin } from './versions.ts';
export { hubspot, type HubSpotOptions, type HubSpotPreset } from './hubspot.ts';
