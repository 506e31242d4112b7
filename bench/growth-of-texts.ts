import { maskPersonalData } from '../src/observability/redaction/personal-data.ts';
import { maskSecretLooks, maskSecrets, maskStackTraces } from '../src/observability/redaction/secrets.ts';
import { textForModels } from '../src/tools/compact.ts';
import type { Measured } from './growth-of-records.ts';

/** The parts that a hostile or odd text repeats, so that a pattern that looks far ahead would do so from each place. */
const repeated: readonly string[] = [
  '4',
  '4 ',
  '4, ',
  '4242 ',
  '4242 and ',
  'four ',
  'quatre vingt ',
  'caller: 4242\nagent: yes\n',
  '12:34 ',
  'cvv 1 ',
  'a b c d: ',
  '[[',
  '<a ',
  ' ',
  '\n',
  'a',
  'a-',
  '+1 ',
  '+1(',
  'a@',
  'a%40',
  'a.@a.',
  '://a:',
  '://a:b@',
  'https://',
  'Bearer ',
  'eyJ.',
  'sk_',
  '-----BEGIN ',
  'password is ',
  'password: "',
  'token="\\',
  'secret=',
  '?key=',
  '078-05-',
  'ssn ',
  'at a (',
  'File "a.py", line ',
  'at run (/srv/app.js:10:5)\n',
  '\\n\\n',
  '.js:',
  '\\"',
];

/** Each takes a text from outside, of any length. */
const masks: Readonly<Record<string, (text: string) => unknown>> = {
  maskPersonalData,
  maskSecretLooks,
  maskStackTraces,
  maskSecrets: (text) => maskSecrets(text, ['s3cr3t-of-ours', 'aaaaaaaa-aaaaaaab']),
  textForModels: (text) => textForModels(text, 1_000),
};

/** Each mask over each text. A text that matches in full at its end is the worst for most patterns: so it ends otherwise. */
export const textMasks = (): readonly Measured[] =>
  Object.entries(masks).flatMap(([name, mask]) =>
    repeated.map((piece) => ({
      name: `${name} of ${JSON.stringify(piece)}`,
      at: (size) => {
        const text = `${piece.repeat(Math.ceil((size * 40) / piece.length))}!`;
        return async () => mask(text);
      },
    })),
  );
