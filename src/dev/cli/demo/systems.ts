import { createFakePlatform, type FakePlatform, type OperationName, testCredentials } from '../../testing/index.ts';
import { wrongUsage } from '../command-error.ts';
import type { ChosenSystems, NewIds, Place } from './system.ts';
import type { RecordedCall } from './recorded-call.ts';

/** The bundled fake platform, filled for a call. */
export interface Systems {
  readonly connections: Readonly<Record<'messaging' | 'crm' | 'billing', Place>>;
  /** Which platforms they are. */
  readonly chosen: ChosenSystems;
  /** The call with the ids that the platforms gave. */
  readonly call: RecordedCall;
  readonly platform: FakePlatform;
}

/** Starts the three systems of a call. Throws `CommandError` for records and faults that can't be. */
export const startSystems = async (recorded: RecordedCall, chosen: ChosenSystems): Promise<Systems> => {
  const { messaging, crm, billing } = chosen;
  const platform = createFakePlatform({ messaging: messaging.fake, crm: crm.fake, billing: billing.fake });
  let call: RecordedCall;
  try {
    call = withNewIds(recorded, fillPlatform(platform, chosen, recorded.before));
    for (const [operation, list] of Object.entries(call.faults)) platform.fault(operation as OperationName, list);
  } catch (error) {
    throw wrongUsage(`${recorded.title} cannot be played: ${(error as Error).message}`);
  }
  const urls = await platform.listen();
  const adminId = messaging.adminId?.(platform) ?? 'admin_1';
  const placeOf = (api: 'messaging' | 'crm' | 'billing') => ({
    baseUrl: urls[api],
    credential: testCredentials[api],
    adminId,
  });
  return {
    platform,
    chosen,
    call,
    connections: { messaging: placeOf('messaging'), crm: placeOf('crm'), billing: placeOf('billing') },
  };
};

/** Puts records into the three systems. */
export const fillPlatform = (
  platform: FakePlatform,
  { messaging, crm, billing }: ChosenSystems,
  before: RecordedCall['before'],
): NewIds => Object.assign({}, ...[messaging, crm, billing].map(({ fill }) => fill(platform, before)));

/** Every id of the recording is a whole value there. */
const withNewIds = (call: RecordedCall, ids: NewIds): RecordedCall => {
  const replaced = (value: unknown): unknown => {
    if (typeof value === 'string') return ids[value] ?? value;
    if (Array.isArray(value)) return value.map(replaced);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaced(one)]));
  };
  return replaced(call) as RecordedCall;
};
