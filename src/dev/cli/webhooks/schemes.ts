import {
  hubSignature,
  retell,
  type SignatureScheme,
  standardWebhooks,
  timestamped,
  xSignature,
} from '../../../signature/scheme.ts';
import type { CommandOption, Given } from '../command.ts';
import { unknownWord } from '../command-error.ts';

const schemes: Readonly<Record<string, SignatureScheme>> = {
  'x-signature': xSignature,
  timestamped,
  'standard-webhooks': standardWebhooks,
  'hub-signature': hubSignature,
  retell,
};

export const schemeOption: Readonly<Record<'scheme', CommandOption>> = {
  scheme: { value: 'NAME', help: `${Object.keys(schemes).join(', ')} (default: x-signature)` },
};

export const readScheme = (given: Given): SignatureScheme => {
  const name = given.text('scheme') ?? 'x-signature';
  const scheme = Object.hasOwn(schemes, name) ? schemes[name] : undefined;
  if (scheme) return scheme;
  const words = Object.keys(schemes);
  throw unknownWord(`there is no scheme "${name}"`, {
    typed: name,
    words,
    otherwise: `it is one of ${words.join(', ')}`,
  });
};
