import { InvalidArgumentError } from '../core/errors.ts';

/**
 * Throws `InvalidArgumentError` for an address that has a secret in it, as far as that can be seen: a user name or
 * password, a parameter named like one, or a long random segment. Spec, "Inbound authentication": never in the URL.
 */
export const assertNoSecretInUrl = (address: string): void => {
  if (!URL.canParse(address)) throw new InvalidArgumentError('url', 'must be an absolute URL');
  const { username, password, pathname, searchParams } = new URL(address);
  const looksSecret =
    username !== '' ||
    password !== '' ||
    [...searchParams.keys()].some((name) => secretName.test(name)) ||
    [...pathname.split('/'), ...searchParams.values()].some(isRandom);
  if (looksSecret)
    throw new InvalidArgumentError(
      'url',
      'must not have a secret in it, which ends up in logs; a secret belongs in a header',
    );
};

const secretName = /token|secret|passw|signature|credential|auth|^sig$|(?:^|[_-])key$|apikey/i;

/** Long, and of letters and digits mixed more than words are. A UUID names a tenant more often than it is a secret. */
const isRandom = (text: string): boolean => {
  if (text.length < 20 || uuid.test(text) || !/^[\w.~+=-]+$/.test(text)) return false;
  return (text.match(/[a-z](?=[0-9])|[0-9](?=[a-z])/gi) ?? []).length >= 4;
};

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
