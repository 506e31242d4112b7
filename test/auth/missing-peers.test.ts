import { expect, test, vi } from 'vitest';
import { jwtBearer, oauthClientCredentials, signedJwt } from '../../src/auth/index.ts';
import { aContext } from '../support/credential-context.ts';

const notFound = vi.hoisted(() => () => {
  throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
});
vi.mock('jose', notFound);
vi.mock('oauth4webapi', notFound);

const endpoint = {
  tokenEndpoint: 'https://login.example.com/token',
  clientId: () => 'app-1',
  transport: () => Promise.reject(new Error('nothing may be sent')),
};

test('without oauth4webapi, the error says what to install', async () => {
  const credential = oauthClientCredentials({ ...endpoint, clientSecret: () => 's3cret' });
  await expect(credential.read(aContext())).rejects.toThrow(
    'crm.leads.create was not sent: the token endpoint could not be asked: oauth4webapi must be installed to ask for tokens: npm install oauth4webapi',
  );
});

test('without jose, the error says what to install', async () => {
  const problem = 'jose must be installed to sign tokens: npm install jose';
  const credential = jwtBearer({
    ...endpoint,
    audience: 'https://login.example.com',
    subject: 'agent',
    privateKey: () => 'a key',
  });
  await expect(credential.read(aContext())).rejects.toThrow(problem);
  await expect(signedJwt({ key: () => 'a key' }).read(aContext())).rejects.toThrow(problem);
});
