import { isSecretName } from './field-names.ts';
import { secretMask } from './redact.ts';
import { maskSecretLooks, maskStackTraces } from './secret-looks.ts';

/**
 * A copy of an API's answer, as text or parsed JSON, without secrets: the ones you name, the value of a field such as
 * `password`, what looks like a secret, and stack traces. Personal data stays. Nesting deeper than 50 levels is cut.
 */
export const maskSecretsInBody = (body: unknown, secrets: readonly string[]): unknown => {
  const known = secretMask(secrets);
  const maskText = (text: string) => maskStackTraces(maskSecretLooks(known(text)));

  const mask = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return maskText(value);
    if (typeof value === 'number') return known(String(value)) === String(value) ? value : '[secret]';
    if (typeof value !== 'object' || value === null) return value;
    if (depth > deepest) return '[cut]';
    if (Array.isArray(value)) return value.map((item) => mask(item, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        maskText(name),
        isSecretName(name) && isFilled(inner) ? '[secret]' : mask(inner, depth + 1),
      ]),
    );
  };
  return mask(body, 0);
};

const deepest = 50;

/** Flags and absent values are useful and contain no secret. */
const isFilled = (value: unknown): boolean => value !== null && value !== '' && typeof value !== 'boolean';
