import { InvalidArgumentError } from '../core/errors.ts';
import type { RequestOptions } from '../http/operation.ts';

/** Who does an action. */
export interface ByAdmin {
  /** @defaultValue the client's `adminId` */
  readonly adminId?: string | undefined;
}

/** Adds the admin to an action: the one it names, otherwise the client's. Throws `InvalidArgumentError` without either. */
export const createByAdmin =
  (resource: string, defaultAdminId: string | undefined) =>
  <Given extends { readonly adminId: string }, Result>(
    name: string,
    act: (id: string, given: Given, call?: RequestOptions) => Promise<Result>,
  ) =>
  async (id: string, given: Omit<Given, 'adminId'> & ByAdmin, call?: RequestOptions): Promise<Result> => {
    const adminId = given?.adminId === undefined ? defaultAdminId : given.adminId;
    if (adminId === undefined)
      throw new InvalidArgumentError('adminId', 'must be given, here or in the options of the client', {
        operation: `messaging.${resource}.${name}`,
      });
    // The rest of what is given, and who does it.
    return act(id, { ...given, adminId } as unknown as Given, call);
  };
