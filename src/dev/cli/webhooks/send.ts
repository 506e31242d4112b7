import { maskPersonalData } from '../../../observability/redaction/personal-data.ts';
import { parseBaseUrl } from '../../../http/base-url.ts';
import type { Command, Given } from '../command.ts';
import { cannotBeDone, wrongUsage } from '../command-error.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';
import { type SignedBody, signBody, signOptions } from './sign-body.ts';

export const webhooksSend: Command = {
  name: 'webhooks send',
  summary: 'Sign a body and deliver it to a webhook receiver, once.',
  positionals: [{ name: 'URL', help: 'Where the receiver listens: https, or http on this machine' }],
  options: {
    ...signOptions,
    'timeout-seconds': { value: 'N', help: 'How long to wait for the answer (default: 10)' },
  },
  details: ['Ends with 1 when the answer is not a 2xx. A redirect is not followed.'],
  examples: [
    {
      command: `WEBHOOK_SECRET=… npx voice-agent-integrations webhooks send http://localhost:3000/hook --body event.json`,
      says: 'A test event for the receiver on this machine',
    },
  ],
  run: async (given, terminal) => {
    const url = readUrl(given.positionals[0] ?? '');
    const timeoutMs = readTimeoutMs(given);
    const signed = await signBody(given, terminal);
    terminal.progress('Waiting for the answer …');
    const answer = await deliver(url, signed, { timeoutMs, terminal });
    if (given.flag('json')) terminal.print(JSON.stringify(answer));
    else {
      terminal.print(
        `${terminal.paint(answer.ok ? 'green' : 'red', String(answer.status))} in ${answer.durationMs} ms`,
      );
      if (answer.body !== '') terminal.print(answer.body);
    }
    return answer.ok ? exitCodes.ok : exitCodes.problems;
  },
};

const longestWaitSeconds = 86_400;

const readTimeoutMs = (given: Given): number => {
  const seconds = given.wholeNumber('timeout-seconds') ?? 10;
  if (seconds > longestWaitSeconds) throw wrongUsage(`--timeout-seconds must be at most ${longestWaitSeconds}`);
  return seconds * 1000;
};

interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly durationMs: number;
  /** Its beginning, without personal data. */
  readonly body: string;
}

const deliver = async (
  url: string,
  { body, headers }: SignedBody,
  { timeoutMs, terminal }: { readonly timeoutMs: number; readonly terminal: Terminal },
): Promise<Answer> => {
  const startedAt = performance.now();
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: new Uint8Array(body),
      redirect: 'manual',
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), terminal.signal]),
    });
    const text = await beginningOf(response);
    const durationMs = Math.round(performance.now() - startedAt);
    return { ok: response.ok, status: response.status, durationMs, body: maskPersonalData(text) };
  } catch (error) {
    const { name, cause } = error as Error;
    if (name === 'TimeoutError') throw cannotBeDone('the receiver did not answer in time', 'see --timeout-seconds');
    const { code, message } = (cause ?? error) as NodeJS.ErrnoException;
    throw cannotBeDone(
      `the receiver could not be reached: ${code ?? message}`,
      'is it running, and is the address right?',
      error,
    );
  }
};

const longestBody = 2_000;

const beginningOf = async ({ body }: Response): Promise<string> => {
  if (!body) return '';
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > longestBody) return `${text.slice(0, longestBody)} …`;
  }
  return text;
};

/** A query is allowed here: what it holds is not ours. */
const readUrl = (text: string): string => {
  try {
    parseBaseUrl(text.split('?')[0] ?? '', { field: 'URL' });
  } catch (error) {
    throw wrongUsage((error as Error).message);
  }
  return text;
};
