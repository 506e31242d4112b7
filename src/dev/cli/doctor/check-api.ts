import type { Integration, IntegrationOptions } from '../../../integration.ts';
import type { ApiName } from '../../testing/index.ts';
import { type PlatformName, platforms } from '../platforms/platforms.ts';
import { connectionFinding, probeFinding } from './advice.ts';
import { checkBillingAddress } from './check-address.ts';
import { checkAdmin } from './check-admin.ts';
import { endWarnings } from './check-ends.ts';
import { checkSalesforceVersion, versionWarnings } from './check-versions.ts';
import { clockFinding, clockSkewMs } from './clock-skew.ts';
import { type Finding, findingsAbout } from './finding.ts';
import { presetNamed, type Probe, probes } from './probes.ts';
import type { Recorder } from './recorder.ts';

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
