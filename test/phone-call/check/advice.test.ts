import { describe, expect, test } from 'vitest';
import {
  AttemptFailedError,
  AuthenticationError,
  ClientError,
  DeadlineExceededError,
  type IntegrationError,
  InvalidArgumentError,
  RetriesExhaustedError,
  UnexpectedResponseError,
} from '../../../src/core/errors.ts';
import { connectionFinding, readFinding } from '../../../src/phone-call/check/advice.ts';
import type { PresetName } from '../../../src/phone-call/check/presets.ts';
import { crmReads } from '../../../src/phone-call/check/reads.ts';

const network = (networkCode: string) =>
  new RetriesExhaustedError('tried', {
    reason: 'network',
    cause: new AttemptFailedError('failed', { reason: 'network', networkCode }),
  });

describe('before anything was asked of an API', () => {
  test.each<[string, IntegrationError, string, string]>([
    ['ENOTFOUND', network('ENOTFOUND'), 'reachable', 'the name cannot be resolved: check crm.baseUrl and DNS'],
    ['an unknown authority', network('DEPTH_ZERO_SELF_SIGNED_CERT'), 'reachable', 'the certificate is not trusted'],
    [
      'a certificate for another name',
      network('ERR_TLS_CERT_ALTNAME_INVALID'),
      'reachable',
      'check the name in crm.baseUrl',
    ],
    ['https where http is spoken', network('ERR_SSL_WRONG_VERSION_NUMBER'), 'reachable', 'no TLS is spoken there'],
    ['what is not HTTP', network('HPE_INVALID_CONSTANT'), 'reachable', 'no HTTP is spoken there'],
    [
      'an application that is not known',
      new AuthenticationError('no', { reason: 'invalid_client' }),
      'credential',
      'check client id and secret',
    ],
    [
      'a user who did not approve',
      new AuthenticationError('no', { reason: 'invalid_grant' }),
      'credential',
      'approved',
    ],
    ['no reason', new AuthenticationError('no'), 'credential', 'check the function that reads the secret'],
    [
      'a variable that is missing',
      new AuthenticationError('no', {
        original: new InvalidArgumentError('CRM_TOKEN', 'must be set in the environment'),
      }),
      'credential',
      'set the variable',
    ],
  ])('%s is a problem with advice', (_, error, check, fix) => {
    expect(connectionFinding('crm', error)).toMatchObject({
      level: 'problem',
      about: 'crm',
      check,
      fix: expect.stringContaining(fix),
    });
  });

  test.each<[string, IntegrationError, string]>([
    ['silence', new AttemptFailedError('late', { reason: 'timeout' }), 'no answer came: check firewall'],
    ['a deadline that passed', new DeadlineExceededError('late'), 'no answer came: check firewall'],
    ['a refused connection', network('ECONNREFUSED'), 'nothing listens there: check crm.baseUrl and its port'],
    ['a name server that is down', network('EAI_AGAIN'), 'the name cannot be resolved'],
    ['another failure of the network', network('EPIPE'), 'try again'],
    ['a token endpoint that fails', new AuthenticationError('no', { reason: 'server_error' }), 'fails right now'],
    [
      'a secret store that is down',
      new AuthenticationError('no', { original: Object.assign(new Error('no'), { code: 'ECONNRESET' }) }),
      'check the function that reads the secret',
    ],
  ])('%s is over when the other side is up again: a warning', (_, error, fix) => {
    expect(connectionFinding('crm', error)).toMatchObject({ level: 'warning', fix: expect.stringContaining(fix) });
  });
});

const [leads, crmContacts] = crmReads;
const refusal = (status: number, ...codes: readonly string[]) =>
  new ClientError('refused', { status, problems: codes.map((code) => ({ code })) });

const advise = (error: unknown, preset?: PresetName, read = leads!) => {
  const finding = readFinding(read, error, { api: 'crm', preset, version: '60.0' });
  return finding && [finding.level, finding.check, finding.message, finding.fix];
};

describe('a read that fails', () => {
  test.each([
    [
      'a session that has ended',
      refusal(401, 'INVALID_SESSION_ID'),
      [
        'problem',
        'credential',
        'the credential is refused: 401 (INVALID_SESSION_ID)',
        expect.stringContaining('external client app'),
      ],
    ],
    [
      'an object that the user may not read',
      refusal(400, 'INVALID_TYPE'),
      ['problem', 'leads', 'leads cannot be read: 400 (INVALID_TYPE)', expect.stringContaining('Lead: Read')],
    ],
    [
      'an API that is off for the user',
      refusal(403, 'API_DISABLED_FOR_ORG'),
      ['problem', 'permission', expect.stringContaining('the API is off'), expect.stringContaining('API Enabled')],
    ],
    [
      'a day whose requests are spent',
      refusal(403, 'REQUEST_LIMIT_EXCEEDED'),
      ['warning', 'quota', expect.stringContaining('are spent'), expect.stringContaining('crm.quota')],
    ],
    [
      'a version that is not served any more',
      refusal(410, 'UNSUPPORTED_API_VERSION'),
      ['problem', 'version', expect.stringContaining('version 60.0 is not served any more'), expect.any(String)],
    ],
  ])('of Salesforce: %s', (_, error, expected) => {
    expect(advise(error, 'salesforce')).toEqual(expected);
  });

  test('says how to mend the credential of each platform', () => {
    expect(advise(refusal(401), 'intercom')?.[3]).toContain('check the region');
    expect(advise(refusal(401))?.[3]).toContain('in which header the API wants it');
  });

  test('is no finding where a platform need not have the endpoint', () => {
    expect(advise(refusal(404))).toEqual(['problem', 'leads', 'there is no such endpoint: 404', expect.any(String)]);
    expect(advise(refusal(404), undefined, crmContacts)).toBeUndefined();
  });

  test('is a warning when the API is over its limit', () => {
    const limited = new RetriesExhaustedError('tried', {
      reason: 'rate_limited',
      cause: new AttemptFailedError('limited', { reason: 'rate_limited', status: 429 }),
    });

    expect(advise(limited)).toEqual([
      'warning',
      'reachable',
      'the API is over its limit right now: 429',
      'lower crm.rateLimit',
    ]);
  });

  test('may be the answer of something else than the API', () => {
    expect(advise(new UnexpectedResponseError('html', {}))).toEqual([
      'problem',
      'reachable',
      'the answer is not what this API should say',
      "compare crm.baseUrl with the API's address",
    ]);
  });

  test('may be what a part of the application threw', () => {
    expect(advise(new TypeError('x is not a function'))).toEqual([
      'problem',
      'leads',
      expect.stringMatching(/^reading leads failed: TypeError at advice\.test\.ts:\d+:\d+$/),
      'look at crm.dialect, middleware, fetch and transport: what they throw is no error of the API',
    ]);
  });
});
