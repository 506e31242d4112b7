import { InvalidArgumentError } from '../../core/errors.ts';

/** The version of Salesforce's API that the preset speaks. Source: the same policy. */
export const pinnedVersion = '60.0';

/**
 * Which versions of the API Salesforce has taken away or will; each lives for three years at least. Source: its API
 * end-of-life policy, as of Winter ’27. `GET /services/data` of an org lists what it serves today.
 *
 * @example
 * const { upTo, in: release } = salesforceVersions.retiring;
 * if (Number(version) <= Number(upTo)) console.warn(`${version} is served until ${release}`);
 */
export const salesforceVersions: {
  /** Answered with 410. */
  readonly retired: { readonly upTo: string; readonly since: string };
  /** Still served; gone with the release in `in`. */
  readonly retiring: { readonly from: string; readonly upTo: string; readonly in: string };
  /** The newest one that this package was written against. */
  readonly newest: string;
} = {
  retired: { upTo: '30.0', since: 'Summer ’25' },
  retiring: { from: '31.0', upTo: '40.0', in: 'Summer ’28' },
  newest: '68.0',
};

/** Since then, upserts say whether they created. */
const firstWithCreated = 46;

/** Throws `InvalidArgumentError` for a version that is gone, and for one that is too old for what is asked of it. */
export const checkVersion = (version: string, { upserts }: { readonly upserts: boolean }): void => {
  const { upTo, since } = salesforceVersions.retired;
  if (Number(version) <= Number(upTo))
    throw new InvalidArgumentError(
      'version',
      `must be above ${upTo}: Salesforce has served none of those since ${since}`,
    );
  if (upserts) assertUpserts(version, 'with externalIdField');
};

/** Throws `InvalidArgumentError` for a version that answers an upsert without a word. */
export const assertUpserts = (version: string, when: string): void => {
  if (Number(version) < firstWithCreated)
    throw new InvalidArgumentError('version', `must be at least ${firstWithCreated}.0 ${when}`);
};
