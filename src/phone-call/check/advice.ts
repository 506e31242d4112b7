import {
  AuthenticationError,
  ClientError,
  IntegrationError,
  InvalidArgumentError,
  RateLimitedError,
  StoreError,
  UnexpectedResponseError,
} from '../../core/errors.ts';
import { eventError } from '../../http/end-of-call.ts';
import { networkFailureOf } from '../../http/network-failure.ts';
import type { EventError } from '../../observability/events.ts';
import { thrownAt } from '../../observability/thrown-at.ts';
import { type Checked, findingsAbout } from './findings.ts';
import { adviceOnRefusal, type PresetName } from './presets.ts';
import type { Read } from './reads.ts';

const docs = 'docs/credentials.md, Least permissions';

/** Explains a failed warm-up: nothing was asked of the API yet. */
export const connectionFinding = (api: string, error: IntegrationError): Checked => {
  const { problem, warning } = findingsAbout(api);
  const root = rootOf(error);
  if (root instanceof AuthenticationError) return credentialFinding(api, root);
  if (root instanceof InvalidArgumentError)
    return problem('credential', `no request can be sent: ${root.field} ${root.problem}`, fixOfArgument(root));
  const failure = eventError(root);
  const word = wordOf(failure);
  const level = isDown(failure) ? warning : problem;
  return level('reachable', `the API cannot be reached: ${word}`, networkFix(api, word));
};

/** Returns advice about a part of the configuration. */
export const fixOfArgument = ({ field, problem }: { readonly field: string; readonly problem: string }): string =>
  problem.includes('must be set in the environment')
    ? 'set the variable in .env, or in the environment'
    : `change ${field}`;

/** The facts about an API besides the answer. */
export interface SeenOfApi {
  readonly api: string;
  readonly preset: PresetName | undefined;
  /** The version that is pinned. */
  readonly version: string;
  /** The version that an answer named instead. */
  readonly answered?: string | undefined;
}

/** Explains a failed read by credential, permission and version; `undefined`: the area is open. */
export const readFinding = (
  { reads, permission, isOptional, isOfNobody }: Omit<Read<never>, 'run'>,
  error: unknown,
  { api, preset, version, answered }: SeenOfApi,
): Checked | undefined => {
  const { problem, warning } = findingsAbout(api);
  if (!(error instanceof IntegrationError))
    return problem(
      reads,
      `reading ${reads} failed: ${thrownAt(error)}`,
      `look at ${api}.dialect, middleware, fetch and transport: what they throw is no error of the API`,
    );
  const root = rootOf(error);
  if (root instanceof AuthenticationError || root instanceof InvalidArgumentError) return connectionFinding(api, root);
  if (root instanceof StoreError)
    return warning('limit', `the rate limiter does not work: ${root.message}`, 'is its server running?');
  if (root instanceof RateLimitedError)
    return warning(
      'limit',
      `${reads} were not read: your own rate limit has no place for it`,
      `look at ${api}.rateLimit`,
    );
  const failure = eventError(root);
  const { status, code } = failure;
  const codes = root.codes?.join(', ');
  const answer = `${status ?? wordOf(failure)}${codes ? ` (${codes})` : ''}`;
  const needs = preset && permission[preset];
  // Stripe's 404 for what a request names, such as a customer.
  if (isOfNobody && root.codes?.includes('resource_missing')) return undefined;
  if (root instanceof ClientError && isMissingVersion(root))
    return problem('version', `version ${version} is not served any more: ${answer}`, 'pin a version that is offered');
  if (status === 400 && answered !== undefined)
    return problem(
      'version',
      `version ${version} is refused: ${answer}, and the answer is of ${answered}`,
      `set ${api}.version to ${answered}, or to another that the API offers`,
    );
  if (status === 401)
    return problem(
      'credential',
      `the credential is refused: ${answer}`,
      preset ? adviceOnRefusal[preset] : ofNoPlatform,
    );
  if (status === 403) return forbidden({ api, reads, answer, needs, codes: root.codes ?? [] });
  if (status === 404 && isOptional) return undefined;
  if (status === 404)
    return problem(
      reads,
      `there is no such endpoint: ${answer}`,
      `compare ${api}.baseUrl and the version with the API's`,
    );
  if (status === 429)
    return warning('reachable', `the API is over its limit right now: ${answer}`, `lower ${api}.rateLimit`);
  if (preset === 'salesforce' && status === 400)
    return problem(reads, `${reads} cannot be read: ${answer}`, `the integration user needs ${needs}; see ${docs}`);
  // A function of your own failed, or your schema refused the answer.
  if (root instanceof UnexpectedResponseError && root.original !== undefined)
    return problem(reads, root.message, `look at that line, or at what ${api} is given`);
  if (code === 'unexpected_response')
    return problem(
      'reachable',
      'the answer is not what this API should say',
      `compare ${api}.baseUrl with the API's address`,
    );
  const fix =
    status !== undefined && status < 500
      ? `compare ${api}.baseUrl, the version and the dialect with the API's`
      : networkFix(api, wordOf(failure));
  return isDown(failure)
    ? warning('reachable', `reading ${reads} failed: ${answer}`, fix)
    : problem(reads, `reading ${reads} failed: ${answer}`, fix);
};

const isMissingVersion = ({ status, codes = [], problems }: ClientError): boolean =>
  status === 410 ||
  codes.some((code) => /version/i.test(code)) ||
  problems.some(({ message = '' }) => /invalid stripe api version/i.test(message));

const forbidden = ({
  api,
  reads,
  answer,
  needs,
  codes,
}: {
  readonly api: string;
  readonly reads: string;
  readonly answer: string;
  readonly needs: string | undefined;
  readonly codes: readonly string[];
}): Checked => {
  const { problem, warning } = findingsAbout(api);
  if (codes.includes('REQUEST_LIMIT_EXCEEDED'))
    return warning(
      'quota',
      `the org's requests of the day are spent: ${answer}`,
      `set ${api}.quota below what the org has`,
    );
  if (codes.some((code) => code.startsWith('API_')))
    return problem('permission', `the API is off for this user: ${answer}`, `tick API Enabled; see ${docs}`);
  const fix = needs === undefined ? `let the credential read ${reads}` : `grant "${needs}"; see ${docs}`;
  return problem('permission', `the credential may not read ${reads}: ${answer}`, fix);
};

const credentialFinding = (api: string, { reason, original }: AuthenticationError): Checked => {
  const { problem, warning } = findingsAbout(api);
  const word = reason ?? networkFailureOf(original).networkCode ?? 'failed';
  const level = passing.has(word) || (reason === undefined && isPassing(word)) ? warning : problem;
  return level('credential', `no credential is available: ${word}`, credentialFixes[word] ?? credentialFix);
};

/** Failures of a token endpoint that are over when it is up again. */
const passing: ReadonlySet<string> = new Set([
  'network',
  'timeout',
  'rate_limited',
  'server_error',
  'temporarily_unavailable',
  'refresh_in_progress',
]);

const ofNoPlatform = 'check which secret the credential reads, and in which header the API wants it';

const credentialFix = 'check the function that reads the secret';
const credentialFixes: Readonly<Record<string, string>> = {
  invalid_client: 'check client id and secret, and how the endpoint wants them (clientAuthentication)',
  invalid_grant: 'the user has not approved the app, the key does not belong to it, or the clock is wrong',
  no_secret: 'the function gave no text: is the secret there under that name?',
  network: 'the token endpoint cannot be reached: check tokenEndpoint and the network',
  timeout: 'the token endpoint does not answer in time',
  server_error: 'the token endpoint fails right now',
  rate_limited: 'the token endpoint is over its limit right now',
};

const wordOf = ({ networkCode, reason, code }: EventError): string => networkCode ?? reason ?? code;

/** An API that is down, busy or silent: no one has to change anything for it to work again. */
const isDown = ({ status, networkCode, reason, code }: EventError): boolean => {
  if (networkCode !== undefined) return isPassing(networkCode);
  return reason !== undefined || code === 'deadline_exceeded' || status === 408 || status === 425;
};

/** Not a wrong name, a certificate that isn't trusted, or an answer that isn't HTTP. */
const isPassing = (networkCode: string): boolean =>
  /^[A-Z]/.test(networkCode) &&
  !isWrongName.test(networkCode) &&
  !isWrongCertificate.test(networkCode) &&
  !isNoTls.test(networkCode) &&
  !isNoHttp.test(networkCode);

const isWrongName = /^(?:ENOTFOUND|EAI_(?!AGAIN))/;
const isWrongCertificate = /CERT|SELF_SIGNED|UNABLE_TO_|TLS/;
const isNoTls = /^ERR_SSL_|^EPROTO$/;
const isNoHttp = /^H(?:PE_|TTPParser)/;

const networkFix = (api: string, code: string): string => {
  if (/^(?:ENOTFOUND|EAI_)/.test(code)) return `the name cannot be resolved: check ${api}.baseUrl and DNS`;
  if (code === 'ECONNREFUSED') return `nothing listens there: check ${api}.baseUrl and its port`;
  if (isNoTls.test(code)) return `no TLS is spoken there: check the scheme and the port in ${api}.baseUrl`;
  if (isWrongCertificate.test(code))
    return `the certificate is not trusted: check the name in ${api}.baseUrl, or give the authority with NODE_EXTRA_CA_CERTS`;
  if (isNoHttp.test(code)) return `no HTTP is spoken there: check ${api}.baseUrl and its port`;
  if (/TIMEOUT|timeout|ETIMEDOUT|deadline/.test(code)) return 'no answer came: check firewall and proxy';
  return `try again; if it stays, check ${api}.baseUrl, firewall and proxy`;
};

/** The last failure of the attempts, which says most. That of a token endpoint isn't the API's. */
const rootOf = (error: IntegrationError): IntegrationError => {
  const { cause } = error;
  if (error instanceof AuthenticationError && !(cause instanceof InvalidArgumentError)) return error;
  return cause instanceof IntegrationError ? rootOf(cause) : error;
};
