/** Platforms whose requests are written with variables: each tool has an address, headers and a body of its own. */
import type { Secret } from '../../core/secret.ts';
import { sharedSecret } from '../../webhooks/authentication/shared-secret.ts';
import { createPlatformHandler, type PlatformHandlerOptions, type PlatformDialect } from './platform-handler.ts';

/** What the server for such a platform runs, and how it knows the platform. */
export interface TemplatedHandlerOptions extends PlatformHandlerOptions {
  /** Reads the bearer token that the platform sends. Called for each request, so that it can be rotated. */
  readonly secret: Secret;
}

/** Where the phone call and the caller are, in every request. */
export const headers = { callId: 'x-call-id', caller: 'x-caller' } as const;

/** The address of one tool. */
export const addressOf = (url: string, tool: string): string => {
  const address = new URL(url);
  address.searchParams.set('tool', tool);
  return address.href;
};

export const createTemplatedHandler = (
  { secret, ...options }: TemplatedHandlerOptions,
  readArguments?: PlatformDialect['readArguments'],
) =>
  createPlatformHandler(
    {
      authentication: [sharedSecret({ header: 'authorization', secrets: secret })],
      read: ({ body, headers: sent, url }) => ({
        callId: sent.get(headers.callId),
        phone: sent.get(headers.caller),
        calls: [{ name: url.searchParams.get('tool'), args: body }],
      }),
      readArguments,
      reply: ([answer]) => answer?.result.value,
    },
    options,
  );
