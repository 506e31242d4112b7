import type { Integration, IntegrationOptions } from '../../../integration.ts';
import type { ApiName } from '../../testing/index.ts';
import { type PlatformName, platforms } from '../platforms/platforms.ts';
import { connectionFinding, probeFinding } from './advice.ts';
import { clockFinding, clockSkewMs, type Recorder } from './recorder.ts';
import { type Finding, findingsAbout } from './finding.ts';
import { presetNamed, type Probe, probes } from './probes.ts';
import { IntegrationError } from '../../../core/errors.ts';
import { readSetting, type Setting } from '../../../core/setting.ts';
import { endPhrase, endsWithin } from '../platforms/ends.ts';
import type { Platform } from '../platforms/platform.ts';
import type { CrmOptions } from '../../../crm/index.ts';
import { salesforceVersions } from '../../../crm/salesforce/index.ts';
import type { VersionWarningEvent } from '../../../observability/events.ts';

export interface ApiCheck {
  readonly integration: Integration;
  readonly options: IntegrationOptions;
  readonly recorder: Recorder;
  readonly signal: AbortSignal;
}

/** Sends one API the requests that need no writing and no known person. */
export const checkApi = async (
  api: ApiName,
  { integration, options, recorder, signal }: ApiCheck,
): Promise<readonly Finding[]> => {
  const { ok } = findingsAbout(api);
  const warmUp = await integration[api].warmUp({ signal });
  if (!warmUp.ready) return [connectionFinding(api, warmUp.error)];

  const findings: Finding[] = [ok('reachable', 'the API is reachable, and a credential is there')];
  const seen = { preset: presetOf(api, options), version: pinnedVersion(api, options) };
  const answeredVersion = () => recorder.versionWarnings(api).find(({ answered }) => answered)?.answered;
  const isMeant = ({ api: of, only }: Probe) => of === api && (!only || (seen.preset && only.includes(seen.preset)));
  for (const probe of probes.filter(isMeant)) {
    const open = ok('permission', `${probe.reads} can be read`);
    const finding = await probe.run(integration).then(
      () => (probe.isOptional && !probe.isOfNobody && recorder.absent(probe.operation) ? undefined : open),
      (error: unknown) =>
        probeFinding(probe, error, { ...seen, answered: answeredVersion() }) ?? (probe.isOfNobody ? open : undefined),
    );
    const isWarning = probe.only !== undefined && finding?.check === 'permission' && finding.level === 'problem';
    if (finding) findings.push(isWarning ? { ...finding, level: 'warning' } : finding);
    const hidden = recorder.hidden(probe.operation);
    if (hidden.length > 0) findings.push(hiddenFields(api, probe, hidden));
    // The others would get the same answer.
    if (finding?.check === 'credential' || finding?.check === 'version') break;
  }
  const isRefused = findings.some(({ check, level }) => check === 'version' && level === 'problem');
  const skewMs = clockSkewMs(recorder.dated(api));
  return [
    ...(api === 'billing' ? await checkBillingAddress(integration, recorder, findings) : findings),
    ...(api === 'messaging' ? await checkAdmin(integration, options.messaging?.adminId) : []),
    ...(seen.preset === 'salesforce' && options.crm ? await checkSalesforceVersion(options.crm, signal) : []),
    ...(seen.preset ? endWarnings(api, { platform: platforms[seen.preset], sent: recorder.sent(api) }) : []),
    ...(isRefused ? [] : versionWarnings(recorder.versionWarnings(api))),
    ...(skewMs === undefined ? [] : [clockFinding(api, skewMs)]),
  ];
};

const hiddenFields = (api: ApiName, { reads }: Probe, fields: readonly string[]): Finding =>
  findingsAbout(api).warning(
    'permission',
    `${fields.join(', ')} of ${reads} can not be read, and searches go on without`,
    'Give the integration user read access to them, or leave them out of phoneFields.',
  );

const presetOf = (api: ApiName, { messaging, crm, billing }: IntegrationOptions): PlatformName | undefined =>
  presetNamed({ messaging: messaging?.platform, crm: crm?.dialect?.name, billing: billing?.dialect?.name }[api]);

const pinnedVersion = (api: ApiName, { messaging, crm, billing }: IntegrationOptions): string => {
  if (api === 'messaging') return messaging?.version ?? '';
  if (api === 'crm') return crm?.version ?? '';
  const version = billing?.version;
  if (version === undefined || typeof version === 'string') return 'in the base address';
  return 'path' in version ? version.path : version.header.value;
};

/**
 * Corrects the findings about a billing API with a wrong address, which looks like one without this customer: both answer
 * 404. An API that gives a path that can't exist the same answer as its own paths, or the dialect's, knows none of them.
 */
const checkBillingAddress = async (
  { billing }: Integration,
  recorder: Recorder,
  findings: readonly Finding[],
): Promise<readonly Finding[]> => {
  const invoices = recorder.absent('billing.invoices.listOpen');
  if (invoices === undefined) return findings;
  await billing
    .request({ operation: nowhere, method: 'GET', path: 'a-path-that-does-not-exist', returns: (json) => json })
    .catch((error: unknown) => {
      if (!(error instanceof IntegrationError)) throw error;
    });
  if (invoices !== recorder.absent(nowhere)) return findings;
  if (recorder.absent('billing.customers.find') === invoices)
    return [
      findingsAbout('billing').problem(
        'reachable',
        'the API answers 404 to everything',
        "compare billing.baseUrl and billing.version with the API's",
      ),
    ];
  return findings.filter(({ message }) => message !== 'invoices can be read');
};

const nowhere = 'billing.address';

/** Checks that the agent's admin exists. No finding if the workspace doesn't list its admins. */
const checkAdmin = async (
  { messaging }: Pick<Integration, 'messaging'>,
  setting: Setting | undefined,
): Promise<readonly Finding[]> => {
  const { ok, warning, problem } = findingsAbout('messaging');
  if (setting === undefined)
    return [warning('admin', 'no admin is set: notes and replies need one each time', 'messaging.adminId')];
  const adminId = readSetting('messaging.adminId', setting);
  const admins = await messaging.admins.list().catch((error: unknown) => {
    if (error instanceof IntegrationError) return undefined;
    throw error;
  });
  if (!admins) return [];
  const isThere = admins.data.some(({ id }) => id === adminId);
  if (isThere) return [ok('admin', `admin ${adminId} is in the workspace`)];
  return [problem('admin', `the workspace has no admin ${adminId}`, 'messaging.adminId: the id of one that it has')];
};

/** Returns warnings about parts of a platform that these requests use and that end within half a year. */
export const endWarnings = (
  api: string,
  { platform, sent }: { readonly platform: Platform; readonly sent: readonly string[] },
  today: Date = new Date(),
): readonly Finding[] =>
  endsWithin(warningDays, platform.ends, today)
    .filter(({ inRequest }) => inRequest && sent.some((request) => inRequest.test(request)))
    .map((end) =>
      findingsAbout(api).warning(
        'end',
        `${platform.title}: ${end.what} ${endPhrase(end, today)}`,
        `use ${end.instead}; see docs/${platform.page} and ${end.source.url}`,
      ),
    );

const warningDays = 180;

/** Returns the answers' warnings about the pinned version, each once. */
const versionWarnings = (warnings: readonly VersionWarningEvent[]): readonly Finding[] => {
  const findings = warnings.flatMap(({ api, pinned, answered, deprecation, sunset }) => [
    ...(answered === undefined
      ? []
      : [warn(api, `version ${pinned} is pinned, and ${answered} answers`, 'pin a version that is offered')]),
    ...(sunset === undefined ? [] : [warn(api, `version ${pinned} ends: ${sunset}`, upgrade)]),
    ...(deprecation === undefined || sunset !== undefined
      ? []
      : [warn(api, `version ${pinned} is deprecated`, upgrade)]),
  ]);
  return findings.filter(({ message }, index) => findings.findIndex((other) => other.message === message) === index);
};

const warn = (api: string, message: string, fix: string): Finding =>
  findingsAbout(api).warning('version', message, fix);

const upgrade = 'try the next one on a test workspace with checkContract';

/**
 * Compares the pinned version with those that the org serves; the list is public. No finding when it cannot be read,
 * which is no fault of the configuration.
 */
const checkSalesforceVersion = async (
  { baseUrl, version, fetch: send = fetch }: Pick<CrmOptions, 'baseUrl' | 'version' | 'fetch'>,
  signal: AbortSignal,
): Promise<readonly Finding[]> => {
  const offered = await listVersions(`${readSetting('crm.baseUrl', baseUrl).replace(/\/$/, '')}/services/data`, {
    send,
    signal,
  });
  return offered ? [offeredFinding(version, offered)] : [];
};

/** Against what is served today, and what is announced to end. */
export const offeredFinding = (version: string, offered: readonly string[]): Finding => {
  const { ok, warning, problem } = findingsAbout('crm');
  const newest = offered.toSorted((a, b) => Number(a) - Number(b)).at(-1);
  if (!offered.includes(version))
    return problem('version', `the org does not serve version ${version}`, `pin one up to ${newest}`);
  const { retiring } = salesforceVersions;
  if (Number(version) <= Number(retiring.upTo))
    return warning('version', `version ${version} ends in ${retiring.in}`, `pin a newer one, up to ${newest}`);
  return ok('version', `version ${version} is served; the newest is ${newest}`);
};

const listVersions = async (
  url: string,
  { send, signal }: { readonly send: typeof fetch; readonly signal: AbortSignal },
): Promise<readonly string[] | undefined> => {
  try {
    const response = await send(url, {
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]),
    });
    const list = (await response.json()) as readonly { readonly version: string }[];
    return list.map(({ version }) => version);
  } catch {
    return undefined;
  }
};
