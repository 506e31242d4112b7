import { readSetting } from '../../core/setting.ts';
import { settleWithin } from '../../core/timers.ts';
import type { CrmOptions } from '../../crm/client.ts';
import { salesforceVersions } from '../../crm/salesforce/salesforce.ts';
import { type Checked, findingsAbout } from './findings.ts';

/**
 * Compares the pinned version with those that the org serves; the list is public. No finding when it cannot be read,
 * which is no fault of the configuration.
 */
export const checkSalesforceVersion = async (
  { baseUrl, version, fetch: send = fetch }: Pick<CrmOptions, 'baseUrl' | 'version' | 'fetch'>,
  signal: AbortSignal,
): Promise<readonly Checked[]> => {
  const offered = await listVersions(`${readSetting('crm.baseUrl', baseUrl).replace(/\/$/, '')}/services/data`, {
    send,
    signal,
  });
  return offered ? [offeredFinding(version, offered)] : [];
};

/** Against what is served today, and what is announced to end. */
export const offeredFinding = (version: string, offered: readonly string[]): Checked => {
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
    const ask = async (within: AbortSignal) => (await send(url, { redirect: 'manual', signal: within })).json();
    const list = (await settleWithin(ask, { signal, deadline: 5_000 })) as readonly { readonly version: string }[];
    return list.map(({ version }) => version);
  } catch {
    return undefined;
  }
};
