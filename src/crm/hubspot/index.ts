/**
 * The preset that makes the CRM client speak to HubSpot.
 *
 * @module
 */
export { hubspot, type HubSpotOptions, type HubSpotPreset } from './hubspot.ts';
