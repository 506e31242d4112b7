import { newestVersion } from './versions.ts';

/**
 * Where an app that several accounts install gets its tokens. Spread it into `oauthRefreshToken`, and into
 * `authorizationCode` for the first ones. HubSpot's OAuth v1 ends on 2027-02-16:
 * https://developers.hubspot.com/changelog/v1-oauth-api-deprecation (2026-11-26).
 *
 * @example
 * const authenticate = oauthRefreshToken({ ...hubspotLogin, clientId, clientSecret, refreshToken, onRefreshToken });
 */
export const hubspotLogin: { readonly tokenEndpoint: string } = {
  tokenEndpoint: `https://api.hubapi.com/oauth/${newestVersion}/token`,
};
