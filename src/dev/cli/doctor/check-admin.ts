import { IntegrationError } from '../../../core/errors.ts';
import type { Integration } from '../../../integration.ts';
import { readSetting, type Setting } from '../../../core/setting.ts';
import { type Finding, findingsAbout } from './finding.ts';

/** Whether the admin exists in whose name the agent acts. No finding where the workspace does not list its admins. */
export const checkAdmin = async (
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
