import type { VersionedPaths } from '../endpoint.ts';
import { Refused } from '../refused.ts';

/** All versions that Salesforce has had; those up to 30 are gone. */
export const salesforcePaths: VersionedPaths = {
  behind: (path) => {
    if (/^\/services\/data\/?$/.test(path)) return '/versions';
    return /^\/services\/data\/v\d+\.\d(\/.+)$/.exec(path)?.[1];
  },
  assertServed: (path) => {
    const version = Number(/^\/services\/data\/v(\d+)\.\d\//.exec(path)?.[1] ?? newest);
    if (version <= lastRetired)
      throw new Refused(410, 'UNSUPPORTED_API_VERSION', 'The requested resource is no longer available');
    if (version > newest) throw new Refused(404, 'NOT_FOUND', 'The requested resource does not exist');
  },
};

const lastRetired = 30;
const newest = 68;
