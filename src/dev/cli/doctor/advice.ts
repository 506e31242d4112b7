import { AuthenticationError, ClientError, IntegrationError, InvalidArgumentError } from '../../../core/errors.ts';
import { eventError } from '../../../http/end-of-call.ts';
import { type PlatformName, platforms } from '../platforms/platforms.ts';
import { type Finding, findingsAbout } from './finding.ts';
import type { Probe } from './probes.ts';

const docs = 'docs/credentials.md, Least permissions';

/** Explains a failed warm-up: nothing was asked of the API yet. */
export const connectionFinding = (api: string, error: IntegrationError): Finding => {
  const { problem } = findingsAbout(api);
  const root = rootOf(error);
  if (root instanceof AuthenticationError) {
    const { reason = 'failed' } = root;
    return problem('credential', `no credential is available: ${reason}`, credentialFixes[reason] ?? credentialFix);
  }
  if (root instanceof InvalidArgumentError)
    return problem('credential', `no request can be sent: ${root.field} ${root.problem}`, fixOfArgument(root));
  const { networkCode, reason, code } = eventError(root);
  const word = networkCode ?? reason ?? code;
  return problem('reachable', `the API cannot be reached: ${word}`, networkFix(word));
};

/** Returns advice about a part of the configuration. */
export const fixOfArgument = ({ field, problem }: { readonly field: string; readonly problem: string }): string =>
  problem.includes('must be set in the environment')
    ? 'set the variable in .env, or in the environment'
    : `change ${field}`;

/** The facts about an API besides the answer. */
interface SeenOfApi {
  readonly preset: PlatformName | undefined;
  /** The version that is pinned. */
  readonly version: string;
  /** The version that an answer named instead. */
  readonly answered?: string | undefined;
}

/** Explains a failed read by credential, permission and version; `undefined`: the area is open. */
export const probeFinding = (
  { api, reads, permission, isOptional, isOfNobody }: Probe,
  error: unknown,
  { preset, version, answered }: SeenOfApi,
): Finding | undefined => {
  const { problem, warning } = findingsAbout(api);
  if (!(error instanceof IntegrationError))
    return problem(
      reads,
      `reading ${reads} failed: ${error instanceof Error ? error.name : 'something was thrown'}`,
      `look at ${api}.dialect, middleware, fetch and transport: what they throw is no error of the API`,
    );
  const root = rootOf(error);
  if (root instanceof AuthenticationError || root instanceof InvalidArgumentError) return connectionFinding(api, root);
  const { status, reason, networkCode, code } = eventError(root);
  const codes = root.codes?.join(', ');
  const answer = `${status ?? networkCode ?? reason ?? code}${codes ? ` (${codes})` : ''}`;
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
      preset ? platforms[preset].refused : ofNoPlatform,
    );
  if (status === 403) return forbidden({ api, reads, answer, needs, codes: root.codes ?? [] });
  if (status === 404 && isOptional) return undefined;
  if (status === 404)
    return problem(
      reads,
      `there is no such endpoint: ${answer}`,
      `compare ${api}.baseUrl and the version with the API's`,
    );
  if (status === 429) return warning(reads, `the API is over its limit right now: ${answer}`, `lower ${api}.rateLimit`);
  if (preset === 'salesforce' && status === 400)
    return problem(reads, `${reads} cannot be read: ${answer}`, `the integration user needs ${needs}; see ${docs}`);
  if (code === 'unexpected_response')
    return problem(
      reads,
      `the answer is not what this API should say`,
      `compare ${api}.baseUrl with the API's address`,
    );
  return problem(reads, `reading ${reads} failed: ${answer}`, networkFix(networkCode ?? reason ?? code));
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
}): Finding => {
  const { problem } = findingsAbout(api);
  if (codes.includes('REQUEST_LIMIT_EXCEEDED'))
    return problem(
      'quota',
      `the org's requests of the day are spent: ${answer}`,
      `set ${api}.quota below what the org has`,
    );
  if (codes.some((code) => code.startsWith('API_')))
    return problem('permission', `the API is off for this user: ${answer}`, `tick API Enabled; see ${docs}`);
  const fix = needs === undefined ? `let the credential read ${reads}` : `grant "${needs}"; see ${docs}`;
  return problem('permission', `the credential may not read ${reads}: ${answer}`, fix);
};

const ofNoPlatform = 'check which secret the credential reads, and in which header the API wants it';

const credentialFix = 'check the function that reads the secret';
const credentialFixes: Readonly<Record<string, string>> = {
  invalid_client: 'check client id and secret, and how the endpoint wants them (clientAuthentication)',
  invalid_grant: 'the user has not approved the app, the key does not belong to it, or the clock is wrong',
  no_secret: 'the function gave no text: is the secret there under that name?',
  network: 'the token endpoint cannot be reached: check tokenEndpoint and the network',
  timeout: 'the token endpoint does not answer in time',
};

const networkFix = (code: string): string => {
  if (/^(?:ENOTFOUND|EAI_)/.test(code)) return 'the name cannot be resolved: check baseUrl and DNS';
  if (code === 'ECONNREFUSED') return 'nothing listens there: check baseUrl and its port';
  if (/CERT|SELF_SIGNED|UNABLE_TO_|TLS|SSL/.test(code))
    return 'the certificate is not trusted: check the name in baseUrl, or give the authority with NODE_EXTRA_CA_CERTS';
  if (/TIMEOUT|timeout|ETIMEDOUT/.test(code)) return 'no answer came: check firewall and proxy';
  return 'try again; if it stays, check baseUrl, firewall and proxy';
};

/** The last failure of the attempts, which says most. */
const rootOf = (error: IntegrationError): IntegrationError =>
  error.cause instanceof IntegrationError ? rootOf(error.cause) : error;
