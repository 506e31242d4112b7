import type { CrmOptions } from '../../../crm/index.ts';
import { salesforceVersions } from '../../../crm/salesforce/index.ts';
import type { VersionWarningEvent } from '../../../observability/events.ts';
import { readSetting } from '../../../core/setting.ts';
import { type Finding, findingsAbout } from './finding.ts';

/** What answers said about the pinned version, each once. */
export const versionWarnings = (warnings: readonly VersionWarningEvent[]): readonly Finding[] => {
  const said = warnings.flatMap(({ api, pinned, answered, deprecation, sunset }) => [
    ...(answered === undefined
      ? []
      : [warn(api, `version ${pinned} is pinned, and ${answered} answers`, 'pin a version that is offered')]),
    ...(sunset === undefined ? [] : [warn(api, `version ${pinned} ends: ${sunset}`, upgrade)]),
    ...(deprecation === undefined || sunset !== undefined
      ? []
      : [warn(api, `version ${pinned} is deprecated`, upgrade)]),
  ]);
  return said.filter(({ message }, index) => said.findIndex((other) => other.message === message) === index);
};

const warn = (api: string, message: string, fix: string): Finding =>
  findingsAbout(api).warning('version', message, fix);

const upgrade = 'try the next one on a test workspace with checkContract';

/**
 * Compares the pinned version with those that the org serves; the list is public. No finding when it cannot be read,
 * which is no fault of the configuration.
 */
export const checkSalesforceVersion = async (
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
