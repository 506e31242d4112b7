import { type SignatureProblem, verifySignature } from '../../../signature/verify.ts';
import type { SignatureScheme } from '../../../signature/scheme.ts';
import type { Command, Given } from '../command.ts';
import { wrongUsage } from '../command-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { bodyOption, readBody } from './body.ts';
import { readScheme, schemeOption } from './schemes.ts';
import { readSecret, secretOptions } from './secret.ts';
import { refusingSecret } from './sign-body.ts';

export const webhooksVerify: Command = {
  name: 'webhooks verify',
  summary: 'Say whether a webhook delivery is valid, and if not, why.',
  options: {
    header: {
      value: "'NAME: VALUE'",
      multiple: true,
      help: 'A header of the delivery; repeat it for each header that the scheme needs',
    },
    ...bodyOption,
    ...schemeOption,
    'tolerance-seconds': { value: 'N', help: 'How old or new a signed time may be (default: 300)' },
    ...secretOptions,
  },
  details: ['Ends with 1 when it is not valid.'],
  examples: [
    {
      command: `WEBHOOK_SECRET=… npx voice-agent-integrations webhooks verify --body body.json --header 'X-Signature: sha256=…'`,
      says: 'A delivery that was logged',
    },
  ],
  run: async (given, terminal) => {
    const scheme = readScheme(given);
    const headers = readHeaders(given);
    const toleranceMs = (given.wholeNumber('tolerance-seconds') ?? 300) * 1000;
    const secret = await readSecret(given, terminal);
    const body = await readBody(given, terminal);
    const verdict = await refusingSecret(() =>
      verifySignature(body, { headers, scheme, toleranceMs, secrets: () => secret }),
    );
    if (given.flag('json')) terminal.print(JSON.stringify(verdict));
    else if (verdict.valid) terminal.print(terminal.paint('green', 'valid'));
    else
      terminal.print(
        `${terminal.paint('red', 'not valid')}: ${verdict.reason}: ${verdict.reason === 'missing' ? missingIn(headers, scheme) : meanings[verdict.reason]}`,
      );
    return verdict.valid ? exitCodes.ok : exitCodes.problems;
  },
};

const meanings: Readonly<Record<Exclude<SignatureProblem, 'missing'>, string>> = {
  malformed: 'the header is not written as the scheme writes it',
  too_old: 'it was signed too long ago; see --tolerance-seconds',
  too_new: 'it was signed in the future; compare the clocks',
  mismatch: 'another secret, other bytes (a line break at the end counts), or another scheme',
  no_secret: 'there is no secret',
};

/** A scheme's headers, without those that were given; a label that isn't in its header counts as well. */
const missingIn = (headers: Readonly<Record<string, string>>, scheme: SignatureScheme): string => {
  const { header, idHeader, timestamp } = scheme;
  const time = timestamp && 'header' in timestamp ? timestamp.header : undefined;
  const absent = [header, idHeader, time].filter((name) => name !== undefined && !headers[name]);
  if (absent.length > 0) return `no header ${absent.join(', ')}: give it with --header`;
  return `${header} holds no signed time`;
};

const readHeaders = (given: Given): Readonly<Record<string, string>> =>
  Object.fromEntries(
    given.texts('header').map((text) => {
      const colon = text.indexOf(':');
      if (colon <= 0) throw wrongUsage("--header must be written 'NAME: VALUE'");
      return [text.slice(0, colon).trim().toLowerCase(), text.slice(colon + 1).trim()];
    }),
  );
