import { oneOf } from '../../core/option-checks.ts';

/**
 * The version of HubSpot's API that the preset speaks: all of its paths have it.
 * HubSpot serves each for 18 months: https://developers.hubspot.com/changelog (2026-11-26).
 */
export const newestVersion = '2026-09';

/** New versions come in March and September. */
const isVersion = (version: unknown): version is string =>
  typeof version === 'string' && /^20(?:2[6-9]|[3-9]\d)-0[39]$/.test(version);

/** Throws `InvalidArgumentError` for what can't be a version. */
export const checkVersion = (version: string): void => {
  if (!isVersion(version)) oneOf<string>(version, 'version', [newestVersion, '2026-03'], 'a later one')();
};

/** Paths below `/crm/`, as HubSpot/HubSpot-public-api-spec-collection has them (2026-08-21). */
export const pathsOf = (version: string) => ({
  /** Records of an object; below it `search`, `batch/{action}` and `{id}/associations`. */
  objects: `objects/${version}`,
  owners: `owners/${version}`,
  pipelines: `pipelines/${version}`,
});

export type HubSpotPaths = ReturnType<typeof pathsOf>;

/**
 * The token endpoint of an app that several accounts install. Spread it into `oauthRefreshToken`, and into
 * `authorizationCode` for the first ones. HubSpot's OAuth v1 ends on 2027-02-16:
 * https://developers.hubspot.com/changelog/v1-oauth-api-deprecation (2026-11-26).
 *
 * @example
 * const authenticate = oauthRefreshToken({ ...hubspotLogin, clientId, clientSecret, refreshToken, onRefreshToken });
 */
export const hubspotLogin: { readonly tokenEndpoint: string } = {
  tokenEndpoint: `https://api.hubapi.com/oauth/${newestVersion}/token`,
};
