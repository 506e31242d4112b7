import { InvalidArgumentError } from '../errors.ts';

/** How many tenants are held, and for how long. */
export interface TenantsSettings {
  /** How many integrations are held at most, those included that close when their last use ends. @defaultValue 1000 */
  readonly max?: number | undefined;
  /**
   * How long one may be idle before it is closed; at least the longest period of its own limits and quotas, which would
   * begin again, and of its memory of new contacts.
   * @defaultValue 600000, ten minutes
   */
  readonly idleMs?: number | undefined;
  /** How long `resolve` may take. @defaultValue 5000 */
  readonly resolveTimeoutMs?: number | undefined;
  /** For how long a `resolve` that failed, or knew no such tenant, is not asked again. @defaultValue 1000 */
  readonly cooldownMs?: number | undefined;
  /** A phone call that was never finished holds its tenant no longer than this. @defaultValue 3600000, one hour */
  readonly longestPhoneCallMs?: number | undefined;
}

/** With the defaults. Throws `InvalidArgumentError` for what cannot work. */
export const readSettings = ({
  max = 1000,
  idleMs = 600_000,
  resolveTimeoutMs = 5_000,
  cooldownMs = 1_000,
  longestPhoneCallMs = 3_600_000,
}: TenantsSettings) => {
  if (!Number.isInteger(max) || max < 1) throw new InvalidArgumentError('max', 'must be a whole number above 0');
  for (const [field, ms] of Object.entries({ idleMs, resolveTimeoutMs, cooldownMs, longestPhoneCallMs })) {
    if (!(ms > 0 && ms < Number.POSITIVE_INFINITY))
      throw new InvalidArgumentError(field, 'must be a number of milliseconds above 0');
  }
  return { max, idleMs, resolveTimeoutMs, cooldownMs, longestPhoneCallMs };
};

/** It's part of keys and events. */
export const assertTenantId = (tenantId: unknown): void => {
  if (typeof tenantId !== 'string' || tenantId.trim() === '' || tenantId.length > 200 || !tenantId.isWellFormed())
    throw new InvalidArgumentError('tenantId', 'must be a text of 1 to 200 characters that is not blank');
};
