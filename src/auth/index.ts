export type { Credential, CredentialContext, IssuedCredential } from '../http/credential.ts';
export { apiKey } from './api-key.ts';
export { bearer } from './bearer.ts';
export type { ReadSecret } from './secret-source.ts';
