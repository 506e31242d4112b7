/**
 * Credentials that read their secrets anew for each request: tokens, API keys, OAuth grants, signed tokens, and the
 * consent of customers.
 *
 * @module
 */
export type {
  Credential,
  CredentialContext,
  CredentialRenewal,
  IssuedCredential,
} from '../http/credential.ts';
export type { StoredToken, TokenDetails, TokenStore } from '../ports/token-store.ts';
export { createMemoryTokenStore, type MemoryTokenStoreOptions } from '../stores/memory-token-store.ts';
export { apiKey } from './api-key.ts';
export {
  type AuthorizationCode,
  authorizationCode,
  type AuthorizationCodeOptions,
  type AuthorizationGrant,
  type AuthorizationRequest,
} from './authorization-code.ts';
export { bearer } from './bearer.ts';
export { combined } from './combined.ts';
export { jwtBearer, type JwtBearerOptions, type SigningAlgorithm } from './jwt-bearer.ts';
export type { ClientAuthentication } from './oauth.ts';
export type { OauthClientOptions } from './oauth-client.ts';
export { oauthClientCredentials, type OauthClientCredentialsOptions } from './oauth-client-credentials.ts';
export { oauthRefreshToken, type OauthRefreshTokenOptions } from './oauth-refresh-token.ts';
export type { ReadSecret, SecretContext, SecretOptions } from './secret-source.ts';
export { signedJwt, type SignedJwtOptions } from './signed-jwt.ts';
export type { TokenCredential, TokenOptions } from './token-credential.ts';
export type { TokenEndpointOptions } from './token-endpoint.ts';
