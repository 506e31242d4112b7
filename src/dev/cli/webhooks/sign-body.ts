import { randomUUID } from 'node:crypto';
import { InvalidArgumentError } from '../../../core/errors.ts';
import { isDeliveryId, signBytes } from '../../../signature/sign.ts';
import type { Command, CommandOption, Given } from '../command.ts';
import { wrongUsage } from '../command-error.ts';
import type { Terminal } from '../terminal.ts';
import { bodyOption, readBody } from './body.ts';
import { readScheme, schemeOption } from './schemes.ts';
import { readSecret, secretOptions } from './secret.ts';
import { exitCodes } from '../exit-codes.ts';

/** The parts of a signature. */
export const signOptions: Readonly<Record<string, CommandOption>> = {
  ...bodyOption,
  ...schemeOption,
  id: { value: 'ID', help: 'The id of the delivery, if the scheme signs one (default: a random one)' },
  at: { value: 'TIME', help: 'When it was signed, such as 2026-01-31T12:00:00Z (default: now)' },
  ...secretOptions,
};

/** A body and the headers that make it genuine, names in lower case. */
export interface SignedBody {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export const signBody = async (given: Given, terminal: Terminal): Promise<SignedBody> => {
  const scheme = readScheme(given);
  const at = readMoment(given);
  const id = given.text('id') ?? `msg_${randomUUID()}`;
  if (!isDeliveryId(id)) throw wrongUsage('--id must not hold dots or spaces', 'the scheme signs it with dots between');
  const secret = await readSecret(given, terminal);
  const body = await readBody(given, terminal);
  return { body, headers: refusingSecret(() => signBytes(body, { scheme, secrets: [secret], id, at })) };
};

/** A secret that cannot be meant was typed wrongly; the message does not repeat it. */
export const refusingSecret = <T>(work: () => T): T => {
  try {
    return work();
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw wrongUsage(error.message);
    throw error;
  }
};

const readMoment = (given: Given): number | undefined => {
  const text = given.text('at');
  if (text === undefined) return undefined;
  const moment = Date.parse(text);
  if (Number.isNaN(moment)) throw wrongUsage('--at must be a moment such as 2026-01-31T12:00:00Z');
  return moment;
};

export const webhooksSign: Command = {
  name: 'webhooks sign',
  summary: 'Print the headers that sign a webhook delivery.',
  options: signOptions,
  examples: [
    {
      command: `echo '{"event":"call.completed"}' | WEBHOOK_SECRET=… npx voice-agent-integrations webhooks sign`,
      says: 'The headers for a body, one per line',
    },
  ],
  run: async (given, terminal) => {
    const { headers } = await signBody(given, terminal);
    if (given.flag('json')) terminal.print(JSON.stringify({ headers }));
    else for (const [name, value] of Object.entries(headers)) terminal.print(`${name}: ${value}`);
    return exitCodes.ok;
  },
};
