import { InvalidArgumentError } from '../../core/errors.ts';
import { flag } from '../../core/option-checks.ts';
import type { Authentication, AuthenticationStep } from './method.ts';

/**
 * The methods in the order in which they are checked. Throws `InvalidArgumentError` when there are none, and when there
 * are only weak ones, unless the events are declared informational.
 */
export const assertAuthentication = (
  methods: readonly Authentication[],
  { informational }: { readonly informational: boolean | undefined },
): readonly Authentication[] => {
  flag(informational, 'informational')();
  const refuse = (problem: string): never => {
    throw new InvalidArgumentError('authentication', problem);
  };
  if (!Array.isArray(methods) || methods.length === 0)
    return refuse('must hold at least one method, such as hmac({ secrets }): without one, anyone could send events');
  if (!methods.every(isMethod))
    return refuse('must be made by hmac, oauthBearer, mutualTls, sharedSecret, ipAllowlist');
  if (!informational && !methods.some(({ isStrong }) => isStrong))
    return refuse(
      'must hold hmac, oauthBearer or mutualTls, since its events cause actions; declare informational: true when they do not',
    );
  return methods.toSorted((a, b) => order.indexOf(a.step) - order.indexOf(b.step));
};

const order: readonly AuthenticationStep[] = ['address', 'credentials', 'signature'];

const isMethod = (value: unknown): value is Authentication =>
  typeof value === 'object' &&
  value !== null &&
  'check' in value &&
  typeof value.check === 'function' &&
  'isStrong' in value &&
  typeof value.isStrong === 'boolean' &&
  'step' in value &&
  order.some((step) => step === value.step);
