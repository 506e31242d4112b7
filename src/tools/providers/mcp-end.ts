import { AttemptFailedError, ClientError, type IntegrationError, RetriesExhaustedError } from '../../core/errors.ts';
import { networkFailureOf } from '../../http/network-failure.ts';
import { isClear, saysPaid } from '../failure-words.ts';
import type { ToolEffect } from '../tool.ts';

/**
 * The error that a failed call means. The client packages throw errors of their own; only what is in {@link notSent}
 * certainly did nothing. All else is unknown: the server may have done its work before the answer was lost, came too
 * late, or was refused by the client.
 */
export const endOfCall = (error: unknown, name: string): IntegrationError => {
  const operation = `tools.${name}`;
  const facts = factsOf(error, name);
  const known = notSent.find(({ is }) => is(facts));
  if (known)
    return new AttemptFailedError(`the MCP server was not asked: ${known.words}`, {
      operation,
      reason: 'network',
      outcome: 'not_sent',
      cause: error,
    });
  const isLate = ['REQUEST_TIMEOUT', -32001].includes(facts.code as never);
  return new RetriesExhaustedError('the answer of the MCP server did not arrive, or could not be used', {
    operation,
    reason: isLate ? 'timeout' : 'network',
    outcome: 'unknown',
    attempts: 1,
    cause: error,
  });
};

/** The tool answered that it failed. What it did before isn't known, unless it only reads. */
export const failedAnswer = (answer: unknown, name: string, effect: ToolEffect): ClientError =>
  new ClientError('the tool answered with an error, or nothing clear: outcome may say which answers mean what', {
    operation: `tools.${name}`,
    status: 400,
    attempts: 1,
    outcome: effect === 'read' ? 'rejected' : 'unknown',
    details: answer,
  });

/**
 * Returns whether an answer without the protocol's mark of an error is none. Many servers catch errors and answer with a
 * sentence. Of a payment, only a sentence that says so is a success.
 */
export const isSuccess = (effect: ToolEffect, value: unknown): boolean => {
  if (effect === 'read') return true;
  return effect === 'payment' && typeof value === 'string' ? saysPaid(value) : isClear(effect, value);
};

interface Facts {
  /** The tool. */
  readonly tool: string;
  /** Text in the newer package, a number in the older one and of the protocol. */
  readonly code: unknown;
  readonly message: string;
  readonly name: string;
  /** Of an answer over HTTP. */
  readonly status: unknown;
  readonly error: unknown;
}

const factsOf = (error: unknown, tool: string): Facts => {
  const { code, message, name, status }: { readonly [field: string]: unknown } = Object(error);
  const isHttp = String(message).startsWith('Streamable HTTP error');
  return {
    tool,
    code,
    message: String(message),
    name: String(name),
    status: status ?? (isHttp ? code : undefined),
    error,
  };
};

/** All ends that mean: nothing was done. */
const notSent: readonly { readonly words: string; readonly is: (facts: Facts) => boolean }[] = [
  {
    words: 'there is no connection to it any more, connect the client again',
    // Both packages throw it without a code.
    is: ({ code, message }) => code === 'NOT_CONNECTED' || (code === undefined && message === 'Not connected'),
  },
  { words: 'no connection could be made', is: ({ error }) => networkFailureOf(error).outcome === 'not_sent' },
  {
    words: 'it does not have this tool any more',
    is: ({ tool, code, message }) => code === -32602 && isRefusedUnseen(message, tool),
  },
  {
    words: 'it has no tools',
    is: ({ code }) => code === -32601 || code === 'METHOD_NOT_SUPPORTED_BY_PROTOCOL_VERSION',
  },
  { words: 'it asks something that this client cannot answer', is: ({ code }) => code === -32021 },
  { words: 'its arguments have changed, connect the client again', is: ({ code }) => code === -32020 },
  { words: 'the client is not allowed to', is: ({ name }) => name === 'UnauthorizedError' },
  {
    words: 'it refused the request itself',
    is: ({ status }) => typeof status === 'number' && refusedBefore.includes(status),
  },
];

/**
 * Returns whether the server's package refused a call before the tool saw it: an unknown tool, or arguments that don't fit. Only
 * its exact sentences about this tool count. A tool may say anything like them after its work.
 */
export const isRefusedUnseen = (message: string, tool: string): boolean => {
  const words = message.replace(/^(?:MCP error -32602: )+/, '');
  const isUnknown = [`Unknown tool: ${tool}`, `Tool ${tool} not found`, `Tool ${tool} disabled`].includes(words);
  return isUnknown || words.startsWith(`Input validation error: Invalid arguments for tool ${tool}:`);
};

/** HTTP answers to a message that wasn't taken: credentials, an ended session, an address that isn't a server. */
const refusedBefore: readonly number[] = [401, 403, 404, 405, 406, 413, 415, 429];
