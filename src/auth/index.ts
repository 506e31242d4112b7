/**
 * Credentials that read their secrets for each request: tokens, API keys, OAuth grants, signed tokens, and the
 * consent of customers.
 *
 * @module
 */
export type {
  Credential,
  CredentialContext,
  IssuedCredential,
} from '../http/credential.ts';
export type { StoredToken, TokenStore } from '../stores/ports/token-store.ts';
export { apiKey } from './secret-credential.ts';
export {
  authorizationCode,
  type AuthorizationCodeOptions,
  type AuthorizationGrant,
  type AuthorizationRequest,
} from './authorization-code.ts';
export { bearer } from './secret-credential.ts';
export { combined } from './combined.ts';
export { jwtBearer, type JwtBearerOptions } from './jwt-bearer.ts';
export { oauthClientCredentials, type OauthClientCredentialsOptions } from './oauth-client-credentials.ts';
export { oauthRefreshToken, type OauthRefreshTokenOptions } from './oauth-refresh-token.ts';
export { fromEnv, type ReadSecret, type Secret, type SecretContext } from '../core/secret.ts';
export { signedJwt, type SignedJwtOptions } from './signed-jwt.ts';
export type { TokenCredential } from './token-credential.ts';
