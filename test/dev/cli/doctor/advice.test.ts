import { describe, expect, test } from 'vitest';
import {
  AttemptFailedError,
  AuthenticationError,
  ClientError,
  type IntegrationError,
  RetriesExhaustedError,
  UnexpectedResponseError,
} from '../../../../src/core/errors.ts';
import { connectionFinding, probeFinding } from '../../../../src/dev/cli/doctor/advice.ts';
import { probes } from '../../../../src/dev/cli/doctor/probes.ts';
import type { PlatformName } from '../../../../src/dev/cli/platforms/platforms.ts';

const network = (networkCode: string) =>
  new RetriesExhaustedError('tried', {
    reason: 'network',
    cause: new AttemptFailedError('failed', { reason: 'network', networkCode }),
  });

describe('before anything was asked of an API', () => {
  test.each<[string, IntegrationError, string, string]>([
    ['ENOTFOUND', network('ENOTFOUND'), 'reachable', 'the name cannot be resolved: check baseUrl and DNS'],
    ['an unknown authority', network('DEPTH_ZERO_SELF_SIGNED_CERT'), 'reachable', 'the certificate is not trusted'],
    [
      'a certificate for another name',
      network('ERR_TLS_CERT_ALTNAME_INVALID'),
      'reachable',
      'check the name in baseUrl',
    ],
    ['silence', new AttemptFailedError('late', { reason: 'timeout' }), 'reachable', 'no answer came: check firewall'],
    ['another failure', network('EPIPE'), 'reachable', 'try again'],
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
  ])('%s is a problem with advice', (_, error, check, fix) => {
    expect(connectionFinding('crm', error)).toMatchObject({
      level: 'problem',
      about: 'crm',
      check,
      fix: expect.stringContaining(fix),
    });
  });
});

const [leads, crmContacts] = probes.filter(({ api }) => api === 'crm');
const refusal = (status: number, ...codes: readonly string[]) =>
  new ClientError('refused', { status, problems: codes.map((code) => ({ code })) });

const advise = (error: unknown, preset?: PlatformName, probe = leads!) => {
  const finding = probeFinding(probe, error, { preset, version: '60.0' });
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
      ['problem', 'quota', expect.stringContaining('are spent'), expect.stringContaining('crm.quota')],
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
      'leads',
      'the API is over its limit right now: 429',
      'lower crm.rateLimit',
    ]);
  });

  test('may be the answer of something else than the API', () => {
    expect(advise(new UnexpectedResponseError('html', {}))).toEqual([
      'problem',
      'leads',
      'the answer is not what this API should say',
      "compare crm.baseUrl with the API's address",
    ]);
  });

  test('may be what a part of the application threw', () => {
    expect(advise(new TypeError('x is not a function'))).toEqual([
      'problem',
      'leads',
      'reading leads failed: TypeError',
      'look at crm.dialect, middleware, fetch and transport: what they throw is no error of the API',
    ]);
  });
});
